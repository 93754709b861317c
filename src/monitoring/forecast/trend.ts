/**
 * A robust slope with an interval: H. Theil, A rank-invariant method of linear and polynomial regression analysis
 * (1950), and P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63 (1968). The
 * slope is the median of the slopes of all pairs of days, its interval two quantiles of them. Up to 29% of the
 * days may be anything.
 *
 * Pairs are formed within stretches between steps only, as R. M. Hirsch, J. R. Slack and R. A. Smith (Techniques of
 * trend analysis for monthly water quality data, 1982) form them within seasons. Pure.
 */
import { dependenceOf, median, quantile, sorted } from "../../platform/median.ts";

/** The slope of a series of days, with its uncertainty. */
export interface Trend {
  /** Change per day. */
  slope: number;
  /**
   * Slope at a number of standard deviations from the middle: `at(0)` is `slope`, negative ones are below.
   * Infinite if there are too few days to tell.
   */
  at: (deviations: number) => number;
  /** The value of each day without the trend, about 0 within each stretch; NaN where there is no value. */
  residuals: Float64Array;
}

/** Days of each stretch that have a value. */
function stretches(days: Float64Array, stretchOf: readonly number[]): number[][] {
  const measured = Array.from(days.keys()).filter((day) => !Number.isNaN(days[day] ?? Number.NaN));
  return [...Map.groupBy(measured, (day) => stretchOf[day] ?? 0).values()];
}

function slopesOf(days: Float64Array, groups: readonly number[][]): Float64Array {
  const slopes: number[] = [];
  for (const group of groups)
    for (const [i, later] of group.entries())
      for (const earlier of group.slice(0, i))
        slopes.push(((days[later] ?? 0) - (days[earlier] ?? 0)) / (later - earlier));
  return sorted(slopes);
}

/** The days without the slope and the level of their stretch. */
function without(slope: number, days: Float64Array, groups: readonly number[][]): Float64Array {
  const residuals = new Float64Array(days.length).fill(Number.NaN);
  for (const group of groups) {
    const level = median(group.map((day) => (days[day] ?? 0) - slope * day));
    for (const day of group) residuals[day] = (days[day] ?? 0) - slope * day - level;
  }
  return residuals;
}

/**
 * The trend of a series of days.
 * @param days a value per day, NaN for a day without one
 * @param stretchOf the stretch that each day belongs to
 * @returns null without any pair of days
 */
export function trendOf(days: Float64Array, stretchOf: readonly number[]): Trend | null {
  const groups = stretches(days, stretchOf);
  const slopes = slopesOf(days, groups);
  if (slopes.length === 0) return null;
  const slope = quantile(slopes, 0.5);
  const residuals = without(slope, days, groups);
  // The variance of Kendall's S, the number of rising minus that of falling pairs.
  const variance = groups.reduce((sum, { length: n }) => sum + (n * (n - 1) * (2 * n + 5)) / 18, 0);
  const spread = Math.sqrt(variance * dependenceOf(residuals)) / (2 * slopes.length);
  return {
    slope,
    residuals,
    at: (deviations) => {
      const q = 0.5 + deviations * spread;
      if (q < 0 || q > 1) return q < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
      return quantile(slopes, q);
    },
  };
}
