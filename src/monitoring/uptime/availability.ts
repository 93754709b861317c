/** How long something was up and down within a window: the rules, without a database. Pure. */
import { clip, type Interval, measure, subtract, union } from "./intervals.ts";

/** What is known of a host or service over time. The intervals may overlap and be in any order. */
export interface Timeline {
  /** Unix seconds of the first message or event: before it nothing is known. */
  knownSince: number;
  down: readonly Interval[];
  /** Time that counts neither as up nor as down, whatever else is known of it. */
  excluded: readonly Interval[];
}

/** Seconds. Together they are the window. */
export interface Availability {
  up: number;
  down: number;
  excluded: number;
}

export function availability(timeline: Timeline, window: Interval): Availability {
  const known = clip([window], { from: timeline.knownSince, to: window.to });
  const counted = subtract(known, union(clip(timeline.excluded, window)));
  const uptime = subtract(counted, union(clip(timeline.down, window)));
  const up = measure(uptime);
  const down = measure(counted) - up;
  return { up, down, excluded: Math.max(0, window.to - window.from) - up - down };
}

/** Percent of the counted time that was up; 100 when none was counted. */
export function uptimePercent({ up, down }: Availability): number {
  return up + down === 0 ? 100 : (100 * up) / (up + down);
}
