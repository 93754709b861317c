/** History as aligned series of at most so many points: what a chart draws. Pure. */
import { startOf } from "./resolutions.ts";
import { type Aggregate, type Period, rollUp } from "./rollup.ts";

export interface Points {
  /** Unix seconds, ascending, shared by all series. */
  times: number[];
  /** By statistic id; null where nothing is known. */
  series: Map<number, (Aggregate | null)[]>;
}

/** Reports this many times further apart than they should be leave a gap between them. */
const GAP_FACTOR = 2.5;

/** A step holds at least so many periods: with fewer, jitter would leave empty ones between full ones. */
const MIN_PERIODS_PER_STEP = 2;

/** The periods as they are, with an empty point in each gap. */
function asTheyAre(periods: readonly Period[], spacing: number): Period[] {
  return periods.flatMap((period, i) => {
    const before = periods[i - 1];
    const isAfterGap = before !== undefined && period.at - before.at > GAP_FACTOR * spacing;
    return isAfterGap
      ? [{ at: before.at + spacing, aggregates: new Map<number, Aggregate>() }, period]
      : [period];
  });
}

/** One period for each step of the window, empty ones included. */
function perStep(periods: readonly Period[], from: number, to: number, step: number): Period[] {
  const known = new Map(rollUp(periods, step).map((period) => [period.at, period]));
  const first = startOf(from, step);
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, i) => {
    const at = first + i * step;
    return known.get(at) ?? { at, aggregates: new Map<number, Aggregate>() };
  });
}

/**
 * Lines the periods up on shared points, as they are if they are few enough, else summed up over equal steps.
 * @param spacing seconds between two periods when none is missing
 * @param limit of points
 */
export function alignSeries(
  periods: readonly Period[],
  statisticIds: readonly number[],
  window: { from: number; to: number },
  spacing: number,
  limit: number,
): Points {
  let points = asTheyAre(periods, spacing);
  if (points.length > limit) {
    // One point more may be needed than the window has steps, since steps begin on their own grid.
    const wanted = Math.max(
      (window.to - window.from) / Math.max(1, limit - 1),
      MIN_PERIODS_PER_STEP * spacing,
    );
    points = perStep(periods, window.from, window.to, Math.ceil(wanted / spacing) * spacing);
  }
  return {
    times: points.map(({ at }) => at),
    series: new Map(
      statisticIds.map((id) => [id, points.map(({ aggregates }) => aggregates.get(id) ?? null)]),
    ),
  };
}
