/** The times that a search for onsets compares. All are unix seconds. Pure. */
import { DAY, HOUR } from "../../platform/clock.ts";
import { FIVE_MINUTES, startOf } from "../history/resolutions.ts";
import type { Interval } from "../uptime/intervals.ts";

/** Values until this long after a failure confirm an onset before it, seconds. */
const CONFIRMING = 300;

/** The days before a failure that show its usual rhythm: each of a week, and the same weekday of the weeks before. */
export const REFERENCE_DAYS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 14, 21, 28];

export interface OnsetWindow {
  /** When the failure began. */
  failedAt: number;
  /** The hour that is searched begins here. The hour before it is what its values are compared with. */
  from: number;
  /** Values at this time or later are left out. */
  to: number;
}

/** The window of a failure. @param now values after it do not exist yet */
export function onsetWindow(failedAt: number, now: number): OnsetWindow {
  return { failedAt, from: failedAt - HOUR, to: Math.min(now, failedAt + CONFIRMING) + 1 };
}

/** The hour that values are compared with, and the hour that is searched. */
export function readSpan({ from, to }: OnsetWindow): Interval {
  return { from: from - HOUR, to };
}

/** The five-minute periods of the span, on the grid of the stored ones: the start of the first, and their number. */
export function gridOf(window: OnsetWindow): { start: number; count: number } {
  const { from, to } = readSpan(window);
  const start = startOf(from, FIVE_MINUTES.seconds);
  return { start, count: Math.ceil((to - start) / FIVE_MINUTES.seconds) };
}

/** The same span some days earlier. */
export function earlier({ from, to }: Interval, days: number): Interval {
  return { from: from - days * DAY, to: to - days * DAY };
}
