/** Order statistics, and how much successive values depend on each other. NaN stands for a missing value. Pure. */

/** The standard deviation of a normal distribution as a multiple of its median absolute deviation. */
const DEVIATION_PER_MAD = 1.4826;
/** Upper bound of the assumed correlation between successive values. */
const MAX_DEPENDENCE = 0.9;

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

/**
 * The factor by which the variance grows because a value resembles the one before it: (1 + r) / (1 - r), of G. V. Bayley
 * and J. M. Hammersley, The "effective" number of independent observations in an autocorrelated time series (1946).
 */
export function dependenceOf(values: Float64Array): number {
  let products = 0;
  let squares = 0;
  for (const [i, value] of values.entries()) {
    const before = values[i - 1] ?? Number.NaN;
    if (!Number.isNaN(value)) squares += value * value;
    if (!Number.isNaN(value * before)) products += value * before;
  }
  const r = squares === 0 ? 0 : Math.min(MAX_DEPENDENCE, Math.max(0, products / squares));
  return (1 + r) / (1 - r);
}
