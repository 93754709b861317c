/** Changes of what has no size, such as process ids. Pure. */

/** Reports between which a code changed. All times are unix seconds. */
export interface CodeChange {
  /** The last report with the code before. */
  earliest: number;
  /** The first one with the code after. */
  date: number;
  from: number;
  to: number;
}

/**
 * Finds the changes of a code.
 * @param times of reports, ascending
 * @param values one for each of the times; NaN for a report without the code
 */
export function codeChanges(times: Float64Array, values: Float64Array): CodeChange[] {
  const changes: CodeChange[] = [];
  let previous: { time: number; value: number } | undefined;
  for (const [i, value] of values.entries()) {
    const time = times[i] ?? 0;
    if (Number.isNaN(value)) continue;
    if (previous && previous.value !== value)
      changes.push({ earliest: previous.time, date: time, from: previous.value, to: value });
    previous = { time, value };
  }
  return changes;
}

/** A code that changes this often in an hour does so as a habit. At most this many of its changes are listed. */
const HABIT = 3;

/**
 * The changes of one thing that are worth a line: the first ones of the searched hour, and none if it changed as a
 * habit in the hour before. What begins to restart again and again is listed.
 * @param changes of both hours, in the order of time @param from start of the searched hour, unix seconds
 */
export function unusualChanges<C extends { date: number }>(changes: readonly C[], from: number): C[] {
  const isHabit = changes.filter(({ date }) => date < from).length >= HABIT;
  return isHabit ? [] : changes.filter(({ date }) => date >= from).slice(0, HABIT);
}
