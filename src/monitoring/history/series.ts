/** Turns history into aligned series for charts with a limited number of points. Pure. */
import { startOf } from "./resolutions.ts";
import { type Aggregate, type Period, rollUp } from "./rollup.ts";

export interface Points {
  /** Unix seconds, ascending, shared by all series. */
  times: number[];
  /** By statistic id; null where there is no value. */
  series: Map<number, (Aggregate | null)[]>;
}

/** A distance between reports of more than this many times the expected one is a gap. */
const GAP_FACTOR = 2.5;

/** Fewest periods per step. With fewer, jitter would produce empty steps between full ones. */
const MIN_PERIODS_PER_STEP = 2;

/** The periods unchanged, with an empty point in each gap. */
function asTheyAre(periods: readonly Period[], spacing: number): Period[] {
  return periods.flatMap((period, i) => {
    const before = periods[i - 1];
    const isAfterGap = before !== undefined && period.at - before.at > GAP_FACTOR * spacing;
    return isAfterGap
      ? [{ at: before.at + spacing, aggregates: new Map<number, Aggregate>() }, period]
      : [period];
  });
}

/** Aggregates the periods to one per step of the window. Steps without data give empty periods. */
function perStep(periods: readonly Period[], from: number, to: number, step: number): Period[] {
  const known = new Map(rollUp(periods, step).map((period) => [period.at, period]));
  const first = startOf(from, step);
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, i) => {
    const at = first + i * step;
    return known.get(at) ?? { at, aggregates: new Map<number, Aggregate>() };
  });
}

/**
 * Aligns the periods on shared points. If there are more periods than `limit`, they are aggregated over
 * equal steps.
 * @param spacing expected distance between two periods, seconds
 * @param limit maximum number of points
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
    // Steps are aligned to a fixed grid, so the window can touch one more step than its length suggests.
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
