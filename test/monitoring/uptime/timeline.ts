/** States that change now and then, without a row for every second. Times are unix seconds. */

/** From the second `from` on and before `to`; null: it lasts. */
export interface Period {
  from: number;
  to: number | null;
}

/** A time during which a state was the same; `to` is not part of it. */
export interface Segment<S = number> {
  from: number;
  to: number;
  state: S;
}

/** Inserts an item into an ordered list, after equal ones. */
export function insertAt<T>(list: T[], item: T, order: (a: T, b: T) => number): void {
  let i = list.length;
  for (let before = list[i - 1]; before !== undefined && order(before, item) > 0; before = list[i - 1]) i--;
  list.splice(i, 0, item);
}

/** A number that changes now and then; 0 before it was first set. Times never go back. */
export class Timeline {
  readonly #at: number[] = [];
  readonly #values: number[] = [];

  /** From the second `at` on. An earlier value for the same second does not count. */
  set(at: number, value: number): void {
    const last = this.#at.length - 1;
    if (this.#at[last] === at) this.#values[last] = value;
    else if (this.#values[last] !== value) {
      this.#at.push(at);
      this.#values.push(value);
    }
  }

  valueAt(at: number): number {
    let [low, high] = [0, this.#at.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#at[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return this.#values[low - 1] ?? 0;
  }

  get changes(): readonly number[] {
    return this.#at;
  }
}

/** The state of each second from `from` to `to`, which can change at `changes` only. */
export function segments<S>(
  from: number,
  to: number,
  changes: readonly number[],
  stateAt: (at: number) => S,
): Segment<S>[] {
  const starts = [...new Set([from, ...changes.filter((at) => at > from && at < to)])].sort((a, b) => a - b);
  if (from >= to) return [];
  return starts.map((start, i) => ({ from: start, to: starts[i + 1] ?? to, state: stateAt(start) }));
}

export function isWithin(periods: readonly Period[], at: number): boolean {
  return periods.some(({ from, to }) => from <= at && (to === null || at < to));
}

/** Both ends of each. */
export function endsOf(periods: readonly Period[]): number[] {
  return periods.flatMap(({ from, to }) => (to === null ? [from] : [from, to]));
}
