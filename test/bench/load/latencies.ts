/** Growth of each bucket relative to the previous one, so that a percentile is off by at most 1%. */
const GROWTH = 1.02;
/** The shortest time distinguished from zero, milliseconds. */
const SHORTEST = 0.01;

const bucketOf = (milliseconds: number) =>
  milliseconds <= SHORTEST ? 0 : Math.ceil(Math.log(milliseconds / SHORTEST) / Math.log(GROWTH));

/** Counts millions of times in a few kilobytes and gives their percentiles. */
export class Latencies {
  readonly #counts: number[] = [];
  #total = 0;
  #max = 0;

  add(milliseconds: number): void {
    const bucket = bucketOf(milliseconds);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total++;
    this.#max = Math.max(this.#max, milliseconds);
  }

  get count(): number {
    return this.#total;
  }

  /** The longest time, exactly. */
  get max(): number {
    return this.#max;
  }

  /** The time that this share of all times does not exceed, milliseconds, to 1%; 0 if there are none. */
  percentile(share: number): number {
    const wanted = Math.max(1, Math.ceil(this.#total * share));
    let seen = 0;
    for (const [bucket, count = 0] of this.#counts.entries()) {
      seen += count;
      // The geometric middle of a bucket.
      if (seen >= wanted) return Math.min(this.#max, SHORTEST * GROWTH ** (bucket - 0.5));
    }
    return this.#max;
  }
}
