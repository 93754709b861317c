/**
 * The seeds of a random test. They are always the same, so that no run of all tests fails by chance; the environment
 * variable SEED replaces them by another one.
 */
export function seeds(...fixed: readonly number[]): readonly number[] {
  const { SEED } = process.env;
  return SEED ? [Number(SEED)] : fixed;
}

/** Random choices that a seed repeats exactly (mulberry32), so that a failure can be repeated. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 to below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** @throws when there is nothing to choose from */
  pick<T>(from: readonly T[]): T {
    const chosen = from[this.below(from.length)];
    if (chosen === undefined && from.length === 0) throw new Error("nothing to choose from");
    return chosen as T;
  }
}
