/** Puts what moved into the order of time, as far as it is known. Pure. */

/** When something moved, as far as it is known. */
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
 * Sorts entries into ties. Nothing is certain to precede an entry of the first tie. The next tie is formed from the
 * other entries in the same way, and so on. Within a tie, entries are in the order of their best estimates, and then of
 * the argument.
 * @returns the first entries, at most `limit`, each with the number of its tie
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
