/**
 * Separates hourly values into a value for each day, a rhythm that repeats every day, and the rest. It is the
 * median polish of J. W. Tukey, Exploratory Data Analysis (1977), chapter 11, on a table with a row per day and a
 * column per hour. Medians let neither an outlier nor a missing hour change what belongs to the others. Pure.
 */
import { median } from "../../platform/median.ts";

export const HOURS = 24;
/** More passes change values by less than the resolution of percentages. */
const PASSES = 3;
/** A day with fewer hours has no value. */
const MIN_HOURS = 3;

/** Hourly values, separated into three parts that add up to them. */
export interface DailyValues {
  /** The value of each day, oldest first; NaN for a day with too few hours. */
  days: Float64Array;
  /** What each of the 24 hours adds to the value of its day. */
  rhythm: Float64Array;
  /** The value of each hour less the value of its day and the rhythm; NaN where there is none. */
  residuals: Float64Array;
}

/** Subtracts its median from each line of a table. @param at index of the i-th value of a line */
function sweep(
  cells: Float64Array,
  effects: Float64Array,
  length: number,
  at: (line: number, i: number) => number,
): void {
  const line = new Float64Array(length);
  for (let l = 0; l < effects.length; l++) {
    for (let i = 0; i < length; i++) line[i] = cells[at(l, i)] ?? Number.NaN;
    const middle = median(line);
    if (Number.isNaN(middle)) continue;
    effects[l] = (effects[l] ?? 0) + middle;
    for (let i = 0; i < length; i++) {
      const cell = at(l, i);
      cells[cell] = (cells[cell] ?? Number.NaN) - middle;
    }
  }
}

/**
 * Separates hourly values into values of days, a daily rhythm, and residuals.
 * @param hourly a value per hour, NaN for an hour without one; a multiple of 24, oldest first
 */
export function dailyValues(hourly: Float64Array): DailyValues {
  const residuals = hourly.slice();
  const days = new Float64Array(residuals.length / HOURS);
  const rhythm = new Float64Array(HOURS);
  for (let pass = 0; pass < PASSES; pass++) {
    sweep(residuals, days, HOURS, (day, hour) => day * HOURS + hour);
    sweep(residuals, rhythm, days.length, (hour, day) => day * HOURS + hour);
  }
  for (let day = 0; day < days.length; day++) {
    const values = residuals.subarray(day * HOURS, (day + 1) * HOURS).filter((value) => !Number.isNaN(value));
    if (values.length < MIN_HOURS) days[day] = Number.NaN;
  }
  return { days, rhythm, residuals };
}
