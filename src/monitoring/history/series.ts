/** Turns history into aligned series for charts with a limited number of points. Pure. */
import { startOf } from "./resolutions.ts";
import { type Aggregate, type AggregatedPeriod, rollUp } from "./rollup.ts";

/** Series that share their points in time. */
export interface Points {
  /** Unix seconds, ascending, shared by all series. */
  times: number[];
  /** By statistic id; null where there is no value. */
  series: Map<number, (Aggregate | null)[]>;
}

/** A distance between reports is a gap if it exceeds the usual distance of that time by this factor. */
const GAP_FACTOR = 2.5;

/** Distances before and after a distance from which the usual one is derived. */
const NEIGHBOURS = 5;
/** A side with fewer distances is not used. */
const MIN_NEIGHBOURS = 3;

/** Fewest periods per step. With fewer, jitter would produce empty steps between full ones. */
const MIN_PERIODS_PER_STEP = 2;

/** The median; of an even number of values, the lower one in the middle. */
function lowerMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/**
 * Finds the gaps: by the index of the period that ends each, the usual distance at that time, seconds. An agent may
 * once have reported more or less often than now, so each distance is compared with its neighbours.
 * @param spacing the usual distance if there are too few periods to tell
 */
function gapsIn(periods: readonly AggregatedPeriod[], spacing: number): Map<number, number> {
  const times = periods.map(({ at }) => at);
  const distances = times.slice(1).map((at, i) => at - (times[i] ?? at));
  const usualAt = (i: number) => {
    const sides = [
      distances.slice(Math.max(0, i - NEIGHBOURS), i),
      distances.slice(i + 1, i + 1 + NEIGHBOURS),
    ].filter((side) => side.length >= MIN_NEIGHBOURS);
    if (sides.length > 0) return Math.max(...sides.map(lowerMedian));
    return distances.length >= MIN_NEIGHBOURS ? lowerMedian(distances) : spacing;
  };
  return new Map(
    distances.flatMap((distance, i): [number, number][] => {
      const usual = usualAt(i);
      return distance > GAP_FACTOR * usual ? [[i + 1, usual]] : [];
    }),
  );
}

const empty = (at: number): AggregatedPeriod => ({ at, aggregates: new Map<number, Aggregate>() });

/** The periods unchanged, with an empty point in each gap. */
function asTheyAre(
  periods: readonly AggregatedPeriod[],
  gaps: ReadonlyMap<number, number>,
): AggregatedPeriod[] {
  return periods.flatMap((period, i) => {
    const usual = gaps.get(i);
    const before = periods[i - 1];
    return before && usual !== undefined ? [empty(before.at + usual), period] : [period];
  });
}

/** Aggregates the periods to one per step of the window. Steps in gaps, and before and after all periods, are empty. */
function perStep(
  periods: readonly AggregatedPeriod[],
  gaps: ReadonlyMap<number, number>,
  { from, to }: Alignment["window"],
  step: number,
): AggregatedPeriod[] {
  const byStart = new Map(rollUp(periods, step).map((period) => [period.at, period]));
  const first = startOf(from, step);
  let next = 0;
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, i) => first + i * step).flatMap((at) => {
    const full = byStart.get(at);
    if (full) return [full];
    while (next < periods.length && (periods[next]?.at ?? 0) < at) next += 1;
    // Between periods that were further apart than a step, nothing is missing.
    const isBetween = next > 0 && next < periods.length;
    return isBetween && !gaps.has(next) ? [] : [empty(at)];
  });
}

interface Alignment {
  window: { from: number; to: number };
  /** Distance between two periods, as the agent reports now, seconds. */
  spacing: number;
  /** Maximum number of points. */
  limit: number;
}

/**
 * Aligns the periods on shared points. If there are more periods than `limit`, they are aggregated over equal steps.
 */
export function alignSeries(
  periods: readonly AggregatedPeriod[],
  statisticIds: readonly number[],
  { window, spacing, limit }: Alignment,
): Points {
  const gaps = gapsIn(periods, spacing);
  let points = asTheyAre(periods, gaps);
  if (points.length > limit) {
    // Steps are aligned to a fixed grid, so the window can touch one more step than its length suggests.
    const neededStep = Math.max(
      (window.to - window.from) / Math.max(1, limit - 1),
      MIN_PERIODS_PER_STEP * spacing,
    );
    points = perStep(periods, gaps, window, Math.ceil(neededStep / spacing) * spacing);
  }
  return {
    times: points.map(({ at }) => at),
    series: new Map(
      statisticIds.map((id) => [id, points.map(({ aggregates }) => aggregates.get(id) ?? null)]),
    ),
  };
}
