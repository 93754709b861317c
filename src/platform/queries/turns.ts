/** Requests of several callers, who take turns. */

interface Waiting<Item> {
  turn: string;
  item: Item;
}

/**
 * Each caller has one request in progress at a time; further ones wait. Among waiting callers, the one served longest
 * ago is next, so nobody has to wait for all requests of another caller.
 */
export class Turns<Item> {
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Item[]>();
  readonly #inProgress = new Set<string>();
  /** Number of requests that wait. */
  #size = 0;

  /** @param limit requests that may wait */
  constructor(private readonly limit: number) {}

  /**
   * Adds a request.
   * @returns the request that is dropped if too many wait: the newest one of the caller with the most waiting requests,
   *   possibly this one; undefined if there was room
   */
  add(turn: string, item: Item): Item | undefined {
    const items = this.#waiting.get(turn);
    if (items) items.push(item);
    else this.#waiting.set(turn, [item]);
    this.#size++;
    if (this.#size <= this.limit) return undefined;
    let busiest = turn;
    for (const [caller, { length }] of this.#waiting)
      if (length > (this.#waiting.get(busiest)?.length ?? 0)) busiest = caller;
    const last = this.#waiting.get(busiest)?.at(-1);
    if (last !== undefined) this.remove(busiest, last);
    return last;
  }

  /** Begins the next request of a caller without one in progress; undefined if no such caller waits. */
  begin(): Waiting<Item> | undefined {
    for (const [turn, [item]] of this.#waiting) {
      if (this.#inProgress.has(turn) || item === undefined) continue;
      this.remove(turn, item);
      this.#inProgress.add(turn);
      return { turn, item };
    }
    return undefined;
  }

  /** Call this when a caller's request in progress has ended: their next one comes after those of others. */
  end(turn: string): void {
    this.#inProgress.delete(turn);
    const items = this.#waiting.get(turn);
    if (items && this.#waiting.delete(turn)) this.#waiting.set(turn, items);
  }

  /** Removes a request, if it waits. */
  remove(turn: string, item: Item): void {
    const items = this.#waiting.get(turn) ?? [];
    const at = items.lastIndexOf(item);
    if (at === -1) return;
    items.splice(at, 1);
    this.#size--;
    if (items.length === 0) this.#waiting.delete(turn);
  }
}
