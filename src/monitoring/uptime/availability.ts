/** Computes how long a host or service was up and down within a window. Pure. */
import { clip, type Interval, measure, subtract, union } from "./intervals.ts";

/** The history of a host or service. The intervals may overlap and may be in any order. */
export interface Timeline {
  /** Time of the first message or event, unix seconds. Time before it is not counted. */
  knownSince: number;
  down: readonly Interval[];
  /** Time that counts neither as up nor as down, even if a failure covers it. */
  excluded: readonly Interval[];
}

/** Durations in seconds. They add up to the length of the window. */
export interface Availability {
  up: number;
  down: number;
  excluded: number;
}

/** Excluded time counts first, then downtime; the rest is up. Time before the first message is excluded. */
export function availability(timeline: Timeline, window: Interval): Availability {
  const observed = clip([window], { from: timeline.knownSince, to: window.to });
  const measured = subtract(observed, union(clip(timeline.excluded, window)));
  const uptime = subtract(measured, union(clip(timeline.down, window)));
  const up = measure(uptime);
  const down = measure(measured) - up;
  return { up, down, excluded: Math.max(0, window.to - window.from) - up - down };
}

/** Percentage of the counted time that was up; 100 if no time was counted. */
export function uptimePercent({ up, down }: Availability): number {
  return up + down === 0 ? 100 : (100 * up) / (up + down);
}
