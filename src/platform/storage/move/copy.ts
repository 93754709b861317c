/** Copies all rows from one database to another, and reads the copy back to compare it. */
import { createHash, type Hash } from "node:crypto";
import { StartupError } from "../../startup-error.ts";
import type { Connection } from "../connection.ts";
import { countRows, pagesOf, type Row, type Value } from "./rows.repository.ts";
import type { MoveSide, MoveTarget } from "./sides.ts";
import type { MovedTable } from "./tables.ts";

/** How far a move is. Each row counts twice: it is copied, and read back. */
export interface MoveProgress {
  table: string;
  done: number;
  all: number;
}

export interface MovedRows {
  table: string;
  rows: number;
}

/** PostgreSQL has no U+0000 in texts, and JSON no numbers that are not finite. */
function portable(value: Value): Value {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** Adds rows to a checksum, which depends on their order and on every value. */
function addTo(hash: Hash, rows: readonly Row[]): void {
  const texts = rows.map((row) =>
    row.map((value) => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value)),
  );
  hash.update(JSON.stringify(texts)).update("\n");
}

interface Sum {
  count: number;
  checksum: string;
}

/** Reads all rows of a table. @param each is given the rows of each page */
function readThrough(client: Connection, table: MovedTable, each: (rows: Row[]) => void): Sum {
  const hash = createHash("sha256");
  let count = 0;
  for (const page of pagesOf(client, table)) {
    const rows = page.map((row) => row.map(portable));
    addTo(hash, rows);
    each(rows);
    count += rows.length;
  }
  return { count, checksum: hash.digest("hex") };
}

/**
 * Copies the tables in order. Nothing else may write to either side meanwhile.
 * @returns what was read at the source, by table, for `verifyRows`
 */
export function copyRows(
  source: MoveSide,
  target: MoveTarget,
  tables: readonly MovedTable[],
  step: (table: string, rows: number) => void,
): Map<MovedTable, Sum> {
  const sums = new Map<MovedTable, Sum>();
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

/** Reads the copy back. @throws StartupError when a table differs from what was read at the source */
export function verifyRows(
  source: MoveSide,
  target: MoveSide,
  sums: ReadonlyMap<MovedTable, Sum>,
  step: (table: string, rows: number) => void,
): MovedRows[] {
  return [...sums].map(([table, sum]) => {
    const found = readThrough(target.client, table, (rows) => step(table.name, rows.length));
    if (found.count !== sum.count)
      throw new StartupError(`the copy of ${table.name} has ${found.count} rows instead of ${sum.count}`);
    if (found.checksum !== sum.checksum)
      throw new StartupError(`the copy of ${table.name} differs from the source: its checksum is another`);
    if (table.numbered !== null && target.lastId(table) !== source.lastId(table))
      throw new StartupError(`the copy of ${table.name} would use ids again`);
    return { table: table.name, rows: sum.count };
  });
}

/** Reports each step, with the number of all. */
export function progressOf(
  client: Connection,
  tables: readonly MovedTable[],
  report: (progress: MoveProgress) => void,
): (table: string, rows: number) => void {
  const all = 2 * tables.reduce((sum, table) => sum + countRows(client, table), 0);
  let done = 0;
  return (table, rows) => {
    done += rows;
    report({ table, done, all });
  };
}
