/** Bounds of rules. The form of the web UI has them too, so this imports nothing. */

/** A week. */
export const MAX_MINUTES = 10_080;
/** The most failures of a check that are read to decide whether it flaps: the highest `flapcount`. */
export const MAX_FLAP_COUNT = 20;
/** A day. */
export const MAX_FLAP_MINUTES = 1440;
export const MAX_STEPS = 20;
