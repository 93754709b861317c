/** Which backups are kept: the newest of each of the last days, weeks and months. Pure functions. */
import { dateAt } from "../../platform/local-time.ts";

export interface Keeping {
  days: number;
  weeks: number;
  months: number;
}

export interface KeptBackup {
  name: string;
  /** Unix seconds. */
  created: number;
  isProven: boolean;
}

/** Names of the newest backups of the newest `count` periods that have one. */
function newestOfEach(
  backups: readonly KeptBackup[],
  count: number,
  periodOf: (backup: KeptBackup) => string,
) {
  const newest = new Map<string, string>();
  for (const backup of backups) {
    const period = periodOf(backup);
    if (!newest.has(period) && newest.size < count) newest.set(period, backup.name);
  }
  return [...newest.values()];
}

/**
 * The backups that need not be kept. The newest is always kept, and so is the newest that was proven.
 * @param timezone IANA name, for days, weeks (from Monday) and months
 */
export function outdated(backups: readonly KeptBackup[], keeping: Keeping, timezone: string): KeptBackup[] {
  const newestFirst = backups.toSorted((a, b) => b.created - a.created);
  const dateOf = ({ created }: KeptBackup) => dateAt(created, timezone);
  const weekOf = (backup: KeptBackup) => {
    const date = dateOf(backup);
    return date.subtract({ days: date.dayOfWeek - 1 }).toString();
  };
  const kept = new Set([
    ...newestOfEach(newestFirst, keeping.days, (backup) => dateOf(backup).toString()),
    ...newestOfEach(newestFirst, keeping.weeks, weekOf),
    ...newestOfEach(newestFirst, keeping.months, (backup) => dateOf(backup).toPlainYearMonth().toString()),
    newestFirst[0]?.name,
    newestFirst.find(({ isProven }) => isProven)?.name,
  ]);
  return newestFirst.filter(({ name }) => !kept.has(name));
}
