/** Puts what moved into the order of time, as far as it is known. Pure. */

export interface Moved {
  /** The best estimate, unix seconds. It happened after `earliest`, and by `latest`. */
  date: number;
  earliest: number;
  latest: number;
}

/** Whether one is certain to have moved before the other. */
function isBefore(a: Moved, b: Moved): boolean {
  return a.latest <= b.earliest && a.latest < b.latest;
}

/**
 * Numbers the ties: the first has all that nothing is certain to precede, the next one what remains without those, and
 * so on. Within a tie, entries are in the order of their best estimates, and then in the order of the argument.
 * @returns the first ones, at most `limit`
 */
export function inOrder<M extends Moved>(entries: readonly M[], limit: number): (M & { tie: number })[] {
  const ordered: (M & { tie: number })[] = [];
  let remaining = entries.toSorted((a, b) => a.date - b.date);
  for (let tie = 1; remaining.length > 0 && ordered.length < limit; tie++) {
    const soonest = remaining.reduce((a, b) => (b.latest < a.latest ? b : a));
    const tied = remaining.filter((entry) => !isBefore(soonest, entry));
    ordered.push(...tied.map((entry) => ({ ...entry, tie })));
    remaining = remaining.filter((entry) => isBefore(soonest, entry));
  }
  return ordered.slice(0, limit);
}
