/** Copies all rows from one database to another, and reads the copy back to compare it. */
import { createHash, type Hash } from "node:crypto";
import { StartupError } from "../../startup-error.ts";
import { counted, separated, withoutNul } from "../../text.ts";
import type { DatabaseConnection } from "../connection.ts";
import { countRows, type MovedRow, pagesOf, type Value } from "./rows.repository.ts";
import type { MoveSide, MoveTarget } from "./sides.ts";
import type { MovedTable } from "./tables.ts";

/** The progress of a move. Each row counts twice: it is copied, and read back. */
export interface MoveProgress {
  table: string;
  doneRows: number;
  totalRows: number;
}

export interface MovedRows {
  table: string;
  rows: number;
}

/** PostgreSQL does not allow U+0000 in texts, and JSON has no infinite numbers. */
function portable(value: Value): Value {
  if (typeof value === "string") return withoutNul(value);
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** Adds rows to a checksum, which depends on their order and on every value. */
function addTo(hash: Hash, rows: readonly MovedRow[]): void {
  const texts = rows.map((row) =>
    row.map((value) => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value)),
  );
  hash.update(JSON.stringify(texts)).update("\n");
}

interface TableSum {
  count: number;
  checksum: string;
}

/** Reads all rows of a table. @param take receives the rows of each page */
function readThrough(
  client: DatabaseConnection,
  table: MovedTable,
  take: (rows: MovedRow[]) => void,
): TableSum {
  const hash = createHash("sha256");
  let count = 0;
  for (const page of pagesOf(client, table)) {
    const rows = page.map((row) => row.map(portable));
    addTo(hash, rows);
    take(rows);
    count += rows.length;
  }
  return { count, checksum: hash.digest("hex") };
}

/**
 * Copies the tables in order. Nothing else may write to either side during the copy.
 * @returns the sums of the source, by table, for `verifyRows`
 */
export function copyRows(
  source: MoveSide,
  target: MoveTarget,
  tables: readonly MovedTable[],
  step: (table: string, rows: number) => void,
): Map<MovedTable, TableSum> {
  const sums = new Map<MovedTable, TableSum>();
  for (const table of tables) {
    const sum = readThrough(source.client, table, (rows) => {
      target.insert(table, rows);
      step(table.name, rows.length);
    });
    if (table.numbered !== null) target.setLastId(table, source.lastId(table));
    sums.set(table, sum);
  }
  return sums;
}

/** Reads the copy back. @throws StartupError when a table differs from the source */
export function verifyRows(
  source: MoveSide,
  target: MoveSide,
  sums: ReadonlyMap<MovedTable, TableSum>,
  step: (table: string, rows: number) => void,
): MovedRows[] {
  return [...sums].map(([table, sum]) => {
    const copySum = readThrough(target.client, table, (rows) => step(table.name, rows.length));
    if (copySum.count !== sum.count)
      throw new StartupError(
        `the copy of ${table.name} has ${counted(copySum.count, "row")} instead of ${separated(sum.count)}`,
      );
    if (copySum.checksum !== sum.checksum)
      throw new StartupError(
        `the copy of ${table.name} differs from the source: its checksum does not match`,
      );
    const isKept = table.numbered !== null && target.keepsLastId(table);
    if (isKept && target.lastId(table) !== source.lastId(table))
      throw new StartupError(`the copy of ${table.name} would reuse ids`);
    return { table: table.name, rows: sum.count };
  });
}

/** Reports each step, of which there is none without rows, with the total number of rows. */
export function progressOf(
  client: DatabaseConnection,
  tables: readonly MovedTable[],
  report: (progress: MoveProgress) => void,
): (table: string, rows: number) => void {
  const totalRows = 2 * tables.reduce((sum, table) => sum + countRows(client, table), 0);
  let doneRows = 0;
  return (table, rows) => {
    doneRows += rows;
    report({ table, doneRows, totalRows });
  };
}
