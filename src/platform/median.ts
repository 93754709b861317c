/** Order statistics. NaN stands for a missing value. Pure. */

/** The standard deviation of a normal distribution as a multiple of its median absolute deviation. */
const DEVIATION_PER_MAD = 1.4826;

/** The values that are not missing, sorted. */
export function sorted(values: Iterable<number>): Float64Array {
  return Float64Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort();
}

/** The value below which the share `q` of the sorted values lies; NaN without values. */
export function quantile(values: Float64Array, q: number): number {
  const place = q * (values.length - 1);
  const [below = Number.NaN, above = below] = [values[Math.floor(place)], values[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}

/** The middle value, or half-way between the two middle ones; NaN without values. */
export function median(values: Iterable<number>): number {
  return quantile(sorted(values), 0.5);
}

/** A robust standard deviation: from the median absolute deviation from the median. NaN without values. */
export function deviation(values: Iterable<number>): number {
  const ordered = sorted(values);
  const middle = quantile(ordered, 0.5);
  return DEVIATION_PER_MAD * median(ordered.map((value) => Math.abs(value - middle)));
}
