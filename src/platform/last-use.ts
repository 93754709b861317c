/** How often the last use of a session or token is stored, seconds. A write per request would be too expensive. */
export const LAST_USE_INTERVAL = 60;

/**
 * Whether to store the time of a use: the stored one is older than the interval, or later than now because the clock
 * was set back.
 * @param stored unix seconds of the last use; null: never
 */
export function isLastUseOutdated(stored: number | null, now: number, interval = LAST_USE_INTERVAL): boolean {
  return stored === null || Math.abs(now - stored) >= interval;
}
