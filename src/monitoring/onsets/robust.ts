/** Statistics of a few values that a single spike does not change much. Pure. */
import { median } from "../../platform/median.ts";

/** Fewest values whose spread is judged. */
const MIN_FOR_SPREAD = 5;

/** The largest absolute value. Missing values are ignored; NaN if all are missing. */
export function farthest(values: Float64Array): number {
  const sizes = values.filter((value) => !Number.isNaN(value)).map(Math.abs);
  return sizes.length === 0 ? Number.NaN : Math.max(...sizes);
}

/** Replaces single spikes by the values around them. Steps stay where they are. */
export function withoutSpikes(values: Float64Array): Float64Array {
  return values.map((value, i) =>
    i === 0 || i === values.length - 1 ? value : median(values.subarray(i - 1, i + 2)),
  );
}

/** For each value, the index of the first one within `seconds` before it. */
export function startsWithin(times: Float64Array, seconds: number): Int32Array {
  let start = 0;
  return Int32Array.from(times, (time) => {
    while ((times[start] ?? time) <= time - seconds) start++;
    return start;
  });
}

/**
 * The mean, with the value farthest from 0 replaced by the next one: a single spike is no change. NaN for one value.
 */
export function steadyMean(values: Float64Array): number {
  if (values.length < 2) return Number.NaN;
  let [sum, farthest, next] = [0, 0, 0];
  for (const value of values) {
    sum += value;
    if (Math.abs(value) > Math.abs(farthest)) [farthest, next] = [value, farthest];
    else if (Math.abs(value) > Math.abs(next)) next = value;
  }
  return (sum - farthest + next) / values.length;
}

/** Largest minus smallest value, without the farthest on each side; NaN for too few. */
export function steadyRange(values: Float64Array): number {
  if (values.length < MIN_FOR_SPREAD) return Number.NaN;
  let [largest, second] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [smallest, secondSmallest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const value of values) {
    if (value > largest) [largest, second] = [value, largest];
    else if (value > second) second = value;
    if (value < smallest) [smallest, secondSmallest] = [value, smallest];
    else if (value < secondSmallest) secondSmallest = value;
  }
  return second - secondSmallest;
}

/** The smallest step between two values: what their last digit is worth. 0 if all are the same. */
export function resolutionOf(values: Float64Array): number {
  const sorted = values.toSorted();
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 1; i < sorted.length; i++) {
    const step = (sorted[i] ?? 0) - (sorted[i - 1] ?? 0);
    if (step > 0) smallest = Math.min(smallest, step);
  }
  return Number.isFinite(smallest) ? smallest : 0;
}
