/** Limits guesses of credentials at the collector, by source, before their bodies are read. In memory only. */
import { LruMap } from "../../platform/lru-map.ts";
import { sourceOf } from "../../platform/net/client-address.ts";

/** Wrong credentials that a source may send in a row. */
export const MAX_GUESSES = 20;
/** Time after which it may send one more, milliseconds. */
export const GUESS_MS = 10_000;
/** The most sources to remember; beyond that the least recent are forgotten. */
const MAX_SOURCES = 10_000;

interface Guesses {
  remaining: number;
  /** By the monotonic clock. */
  at: number;
}

/**
 * Keys have long random secrets, so a right one is accepted from any source, whatever else comes from there: many
 * agents can share an address. The password of the first credential can be short. After too many guesses from a source,
 * it is compared with one login per `GUESS_MS`, unless agents there have posted with the right one before.
 */
export class GuessThrottle {
  readonly #guesses = new LruMap<string, Guesses>(MAX_SOURCES);
  readonly #trusted = new LruMap<string, true>(MAX_SOURCES);

  /** @param monotonic milliseconds of a monotonic clock */
  constructor(private readonly monotonic: () => number) {}

  /** Whether the password of the first credential may be compared with what a source sends. */
  mayCompare(address: string): boolean {
    if (this.#guesses.size === 0) return true;
    const source = sourceOf(address);
    return this.#trusted.has(source) || this.#remaining(source) >= 1;
  }

  /** Remembers a source that sent the right password of the first credential. */
  trust(address: string): void {
    const source = sourceOf(address);
    if (!this.#trusted.has(source)) this.#trusted.set(source, true);
  }

  /** Counts a wrong credential. @returns whether there were too many */
  countWrong(address: string): boolean {
    const source = sourceOf(address);
    const remaining = this.#remaining(source);
    if (remaining < 1) return true;
    this.#guesses.set(source, { remaining: remaining - 1, at: this.monotonic() });
    return false;
  }

  #remaining(source: string): number {
    const guesses = this.#guesses.peek(source);
    if (!guesses) return MAX_GUESSES;
    return Math.min(MAX_GUESSES, guesses.remaining + (this.monotonic() - guesses.at) / GUESS_MS);
  }
}
