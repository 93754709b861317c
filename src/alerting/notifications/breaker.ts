/** When a channel is tried again that keeps failing. Pure. */
import type { Answer } from "../channels/kinds/channel-kind.ts";

/** Until the next attempt, by the number of those that failed; then as the last, seconds. */
const BACK_OFF = [10, 30, 60, 120, 300, 600, 1800, 3600] as const;
/** The longest time between two attempts of a message, seconds. */
export const MAX_BACK_OFF = 3600;
/** So many failures in a row hold a channel: its messages wait, and one is tried at a time. */
const HOLDING_FAILURES = 3;
/** A channel is held for no longer than this between two attempts, whatever its remote asks for, seconds. */
export const MAX_HELD = 300;

/** Seconds until the next attempt after `attempts` of them failed. */
export function backOff(attempts: number): number {
  return BACK_OFF[attempts - 1] ?? MAX_BACK_OFF;
}

/**
 * Until when no message goes to a channel, unix seconds; null when the next one may go at once. A remote that refuses a
 * message did answer, and what it refuses is not repeated.
 * @param failures in a row, this one included
 */
export function heldUntil(failures: number, { outcome, retryAfter = 0 }: Answer, now: number): number | null {
  if (outcome === "sent" || outcome === "refused") return null;
  const seconds = Math.max(failures >= HOLDING_FAILURES ? backOff(failures) : 0, retryAfter);
  return seconds > 0 ? now + Math.min(seconds, MAX_HELD) : null;
}
