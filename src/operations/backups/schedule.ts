/** When backups are due. Pure functions. */
import { HOUR, MINUTE } from "../../platform/clock.ts";
import { dateAt, instantOf } from "../../platform/local-time.ts";

/** Wait after the first attempt that failed, and the longest one, seconds. */
const FIRST_RETRY = 10 * MINUTE;
const LONGEST_RETRY = 6 * HOUR;
/** Seconds by which a backup may lie ahead of the clock. One further ahead was made while the clock was wrong. */
const AHEAD = HOUR;

/** The scheduled times of the days around `at`, in order. */
function timesAround(times: readonly string[], at: number, timezone: string): number[] {
  const today = dateAt(at, timezone);
  return [-1, 0, 1]
    .flatMap((days) => times.map((time) => instantOf(today.add({ days }), time, timezone)))
    .sort((a, b) => a - b);
}

/** @param times HH:MM @returns the scheduled time after `at`, unix seconds */
export function nextTime(times: readonly string[], at: number, timezone: string): number | null {
  return timesAround(times, at, timezone).find((time) => time > at) ?? null;
}

/** @param times HH:MM @returns the last scheduled time up to `at`, unix seconds */
export function lastTime(times: readonly string[], at: number, timezone: string): number | null {
  return timesAround(times, at, timezone).findLast((time) => time <= at) ?? null;
}

/** What decides whether a backup is due: what happened at the place where it would be stored. Times are unix seconds. */
export interface BackupHistory {
  /** When the newest stored backup was made; null without one. */
  stored: number | null;
  /** When the attempts since then failed, the newest first. */
  failed: readonly number[];
}

/**
 * Whether a backup is due. The first one at a place is due at once. After a failure it is tried again, after a wait that doubles.
 * @param times HH:MM
 */
export function isDue(
  times: readonly string[],
  { stored, failed }: BackupHistory,
  now: number,
  timezone: string,
): boolean {
  const last = lastTime(times, now, timezone);
  if (last === null) return false;
  if (stored !== null && stored >= last && stored <= now + AHEAD) return false;
  const [newest] = failed;
  if (newest === undefined || newest > now + AHEAD) return true;
  return now >= newest + retryAfter(failed.length);
}

/** The wait after so many failures in a row, seconds. */
function retryAfter(failures: number): number {
  return Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (failures - 1));
}
