/** What a number usually does at a time of day, from five-minute periods of earlier days. Pure. */
import { median } from "../../platform/median.ts";
import { FIVE_MINUTES } from "../history/resolutions.ts";

/** With fewer days there is no rhythm: nothing is expected to change. */
const MIN_DAYS = 3;

/** A number in the five-minute periods of a span; NaN where there is none. */
export interface Periods {
  min: Float64Array;
  mean: Float64Array;
  max: Float64Array;
}

/** The mean of each period and those before it, `length` in all, without missing ones. */
export function smoothed(values: Float64Array, length: number): Float64Array {
  if (length === 1) return values;
  return values.map((_, i) => {
    const within = values
      .subarray(Math.max(0, i - length + 1), i + 1)
      .filter((value) => !Number.isNaN(value));
    return within.length === 0 ? Number.NaN : within.reduce((sum, value) => sum + value, 0) / within.length;
  });
}

/**
 * Each day as distances from its level before the searched hour.
 * @param first index of the first period of the searched hour
 */
export function fromLevel(days: readonly Float64Array[], first: number): Float64Array[] {
  return days.flatMap((day) => {
    const level = median(day.subarray(0, first));
    return Number.isNaN(level) ? [] : [day.map((value) => value - level)];
  });
}

/** The usual distance from the level in each period: the median of the days. */
export function rhythmOf(days: readonly Float64Array[], count: number): Float64Array {
  const rhythm = new Float64Array(count);
  if (days.length < MIN_DAYS) return rhythm;
  for (let i = 0; i < count; i++) {
    const usual = median(days.map((day) => day[i] ?? Number.NaN));
    rhythm[i] = Number.isNaN(usual) ? 0 : usual;
  }
  return rhythm;
}

/** The rhythm at a time between the middles of two periods. @param at seconds since the start of the first period */
export function rhythmAt(rhythm: Float64Array, at: number): number {
  const place = Math.min(rhythm.length - 1, Math.max(0, at / FIVE_MINUTES.seconds - 0.5));
  const below = rhythm[Math.floor(place)] ?? 0;
  const above = rhythm[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * How far a number may be from its rhythm in each period because it is early or late: where the rhythm itself jumps, as
 * when a nightly job begins, it is how far it jumps.
 * @param smallest smaller differences are no jumps
 */
export function slackOf(rhythm: Float64Array, smallest: number): Float64Array {
  return rhythm.map((_, i) => {
    const around = rhythm.subarray(Math.max(0, i - 1), i + 2);
    const jump = Math.max(...around) - Math.min(...around);
    return jump > smallest ? jump : 0;
  });
}

/** A distance, reduced by the slack but never beyond zero. */
export function nearer(distance: number, slack: number): number {
  return Math.sign(distance) * Math.max(0, Math.abs(distance) - slack);
}
