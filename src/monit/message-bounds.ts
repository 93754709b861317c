/** Limits on single values of a message. */

/** Longest name, address or other text, in UTF-16 code units. A longer one is cut. */
export const MAX_TEXT = 255;
/** Characters. A message with a longer agent id is rejected. */
export const MAX_AGENT_ID = 255;

/** The last second of the year 9999. */
export const MAX_UNIX_TIME = 253_402_300_799;
export const MAX_USEC = 999_999;
/** Longest poll cycle, seconds: one day. */
export const MAX_POLL = 86_400;
export const MAX_BITMAP = 0xffff_ffff;
/** Largest code of a type, mode, state or action. Known codes are below 10; newer agents may add some. */
export const MAX_CODE = 99;
export const MAX_PORT = 65_535;
export const MAX_CPUS = 1_000_000;
export const MAX_COUNT = Number.MAX_SAFE_INTEGER;
