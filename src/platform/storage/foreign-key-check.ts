import type { Database } from "bun:sqlite";
import { StartupError } from "../startup-error.ts";

/** Rows of one table that refer to missing rows of another one. */
export interface ForeignKeyFault {
  /** `TABLE to PARENT`. */
  relation: string;
  rows: number;
  /** References of these rows to missing ones: a row may have several. */
  references: number;
}

/** Checks the foreign keys that a file declares, whatever its version. Reads every row that has one. */
export function checkForeignKeys(client: Database): ForeignKeyFault[] {
  return client
    .query<ForeignKeyFault, []>(
      `SELECT "table" || ' to ' || parent AS relation, count(DISTINCT rowid) AS "rows", count(*) AS "references"
       FROM pragma_foreign_key_check GROUP BY 1 ORDER BY 1`,
    )
    .all();
}

/** `TABLE to PARENT (ROWS), ...` */
export function describeFaults(faults: readonly ForeignKeyFault[]): string {
  return faults.map(({ relation, rows }) => `${relation} (${rows})`).join(", ");
}

/**
 * Checks the foreign keys of a database that is moved.
 * @param subject names the file in the error
 * @throws StartupError that lists the tables whose rows refer to missing ones
 */
export function assertNoneDangling(client: Database, subject: string): void {
  const faults = checkForeignKeys(client);
  if (faults.length > 0)
    throw new StartupError(
      `${subject} has rows that refer to missing ones: ${describeFaults(faults)}. Repair the database first: muster doctor --repair`,
    );
}
