/**
 * When a series changed, and how well that is known. The time is the one that leaves the least squares: a level
 * before it, a line after it (D. V. Hinkley, Inference about the change-point in a sequence of random variables, 1970).
 * Its uncertainty is the times that explain the values about as well (K. J. Worsley, Confidence regions and tests for a
 * change-point in a sequence of exponential family random variables, 1986). Pure.
 */

/** How much worse, as twice a log-likelihood, a time may explain the values: 95 % of a chi-square of one degree. */
const CONFIDENCE = 3.84;
/** With fewer values after the change, these get a level and no slope: a line explains two of them exactly. */
const MIN_FOR_LINE = 5;

/** Where a series changed. */
export interface ChangePoint {
  /** Index of the first value after the change. */
  at: number;
  /** The range of that index. */
  earliest: number;
  latest: number;
}

/** Running sums, from which the squares that remain of any stretch follow at once. */
class Sums {
  readonly #of = Array.from({ length: 5 }, () => [0]);

  constructor(times: Float64Array, values: Float64Array) {
    const origin = times[0] ?? 0;
    for (const [i, y] of values.entries()) {
      const t = (times[i] ?? 0) - origin;
      for (const [sum, part] of [t, y, t * t, t * y, y * y].entries()) {
        const sums = this.#of[sum] ?? [];
        sums.push((sums.at(-1) ?? 0) + part);
      }
    }
  }

  /** Squares that a level, or a line, leaves of the values from one index to before another. */
  remaining(from: number, to: number, isLine: boolean): number {
    const n = to - from;
    if (n <= 0) return 0;
    const [t = 0, y = 0, tt = 0, ty = 0, yy = 0] = this.#of.map(
      (sums) => (sums[to] ?? 0) - (sums[from] ?? 0),
    );
    const [ofTime, ofBoth, ofValues] = [tt - (t * t) / n, ty - (t * y) / n, yy - (y * y) / n];
    const explained = isLine && ofTime > 0 ? (ofBoth * ofBoth) / ofTime : 0;
    return Math.max(0, ofValues - explained);
  }
}

interface ChangePointOptions {
  /** Index of the first value that may be the first after the change, at least 1. */
  first: number;
  /** Index of the last one. */
  last: number;
  /** The standard deviation that is noise in any case: the resolution of the numbers. */
  noise: number;
  /** See `dependenceOf`. */
  dependence: number;
  /** Whether what follows the change may rise or fall. */
  isLine: boolean;
}

/**
 * Finds the time at which a series changed, and its uncertainty.
 * @param times unix seconds, ascending
 * @param values one for each of the times
 */
export function changePoint(
  times: Float64Array,
  values: Float64Array,
  { first, last, noise, dependence, isLine }: ChangePointOptions,
): ChangePoint {
  const sums = new Sums(times, values);
  const n = values.length;
  const floor = n * noise * noise;
  const badness = new Map<number, number>();
  for (let at = first; at <= last; at++) {
    const after = sums.remaining(at, n, isLine && n - at >= MIN_FOR_LINE);
    badness.set(at, Math.log(floor + sums.remaining(0, at, false) + after));
  }
  const of = (at: number) => badness.get(at) ?? Number.POSITIVE_INFINITY;
  const best = [...badness.keys()].reduce((a, b) => (of(b) < of(a) ? b : a), first);
  const isPlausible = (at: number) => (n / dependence) * (of(at) - of(best)) <= CONFIDENCE;
  let [earliest, latest] = [best, best];
  while (isPlausible(earliest - 1)) earliest--;
  while (isPlausible(latest + 1)) latest++;
  return { at: best, earliest, latest };
}
