interface Counter {
  /** Unix seconds. */
  since: number;
  value: number;
}

/**
 * The start of each counter, judging by earlier pushes. Agents do not report when their counters began, and counters
 * restart with the machine or the network interface. A counter that is new or has decreased begins with that push,
 * which tells receivers that the earlier value is unknown.
 */
export class CounterStarts {
  /** As the receiver last accepted them. */
  #previous = new Map<number, Counter>();
  /** Accepted in this push. */
  #current = new Map<number, Counter>();
  /** In the request under way. */
  #requested = new Map<number, Counter>();

  /**
   * When a counter began, unix seconds.
   * @param key identifies the counter
   * @param at time of the push, unix seconds
   */
  startOf(key: string, value: number, at: number): number {
    // Hundreds of thousands of keys: a number takes a fraction of a text's memory.
    const hash = Number(BigInt.asUintN(53, BigInt(Bun.hash(key))));
    const before = this.#previous.get(hash);
    // The clock can have been set back.
    const isGrowing = before !== undefined && value >= before.value && before.since <= at;
    const since = isGrowing ? before.since : at;
    this.#requested.set(hash, { since, value });
    return since;
  }

  /** Keeps the counters of the request under way, whatever becomes of the other requests of the push. */
  accepted(): void {
    for (const [hash, counter] of this.#requested) {
      this.#previous.set(hash, counter);
      this.#current.set(hash, counter);
    }
    this.#requested = new Map();
  }

  /** Ends a push. @param isWhole whether all counters were accepted in it, so that the others can be forgotten */
  endPush(isWhole: boolean): void {
    if (isWhole) this.#previous = this.#current;
    this.#current = new Map();
    this.#requested = new Map();
  }
}
