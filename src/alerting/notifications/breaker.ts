/** Circuit breaker: when a failing channel is tried again. Pure functions. */
import type { Answer } from "../channels/kinds/channel-kind.ts";

/** Seconds until the next attempt, by the number of failed attempts; the last value repeats. */
const BACK_OFF = [10, 30, 60, 120, 300, 600, 1800, 3600] as const;
/** Longest time between two attempts of a message, seconds. */
export const MAX_BACK_OFF = 3600;
/**
 * After this many failures in a row a channel backs off: its messages wait, and only one is tried at a time.
 */
const HOLDING_FAILURES = 3;
/** Longest time that a channel backs off between two attempts, whatever its remote requests, seconds. */
export const MAX_HELD = 300;

/** Seconds until the next attempt, after `attempts` failed ones. */
export function backOff(attempts: number): number {
  return BACK_OFF[attempts - 1] ?? MAX_BACK_OFF;
}

/**
 * Until when a channel backs off, unix seconds; null if its next message may be sent at once. A refused message does
 * not make it back off: it is not sent again, and shows that the remote is reachable.
 * @param failures attempts in a row that failed or were refused, including this one
 */
export function heldUntil(failures: number, { outcome, retryAfter = 0 }: Answer, now: number): number | null {
  if (outcome === "sent" || outcome === "refused") return null;
  const seconds = Math.max(failures >= HOLDING_FAILURES ? backOff(failures) : 0, retryAfter);
  return seconds > 0 ? now + Math.min(seconds, MAX_HELD) : null;
}
