/**
 * Goes through all rows of a table again and again, in steps.
 * @param idsAfter the next ids after `last`, in order
 * @param look called with the ids of each step
 * @returns a function that makes a step of at most `limit` ids and returns how many there were
 */
export function sweep(
  idsAfter: (last: number, limit: number) => readonly { id: number }[],
  look: (ids: readonly number[]) => void,
): (limit: number) => number {
  let last = 0;
  return (limit) => {
    const ids = idsAfter(last, limit).map(({ id }) => id);
    if (ids.length > 0) look(ids);
    last = ids.length < limit ? 0 : (ids.at(-1) ?? 0);
    return ids.length;
  };
}
