/** Reads rows of the real database, as they are now or as they were, and writes them to a moment database. */

import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { columnName } from "../../platform/storage/column-name.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { RevisedContent } from "../../platform/storage/revisions.repository.ts";
import { idsIn } from "../../platform/storage/words.ts";
import type { PastContent } from "./revisions.repository.ts";

export type StoredValue = number | string | Uint8Array | null;
/** By the names of the columns in the database. */
export type StoredRow = Record<string, StoredValue>;

/** Ids as a parameter for `idsIn`. */
export const asParameter = (ids: Iterable<number>) => JSON.stringify([...ids]);

/** Rows of a statement by the names of their columns; all of them, so the statement needs a bound. */
export function readRows(db: Db, statement: string, ...parameters: StoredValue[]): StoredRow[] {
  return db.$client.prepare<StoredRow>(statement).all(...parameters);
}

/** As `readRows`, without the names of the columns: for many rows. */
export function readValues(db: Db, statement: string, ...parameters: StoredValue[]): StoredValue[][] {
  return db.$client.prepare(statement).values(...parameters) as StoredValue[][];
}

/** Rows of a table by a column of ids. */
export function rowsWith(db: Db, table: SQLiteTable, column: string, ids: Iterable<number>): StoredRow[] {
  return readRows(
    db,
    `select * from ${getTableName(table)} where ${column} in ${idsIn("?")}`,
    asParameter(ids),
  );
}

/** Adds rows, except those that are there. All have the same columns. */
export function addRows(db: Db, table: SQLiteTable, rows: readonly StoredRow[]): void {
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first);
  const insert = db.$client.prepare(
    `insert into ${getTableName(table)} (${names.map((name) => `"${name}"`).join(", ")})
     values (${names.map(() => "?").join(", ")}) on conflict do nothing`,
  );
  for (const row of rows) insert.run(...names.map((name) => asStored(row[name])));
}

/** Values as SQLite stores them: PostgreSQL has truth values. */
function asStored(value: unknown): StoredValue {
  return typeof value === "boolean" ? Number(value) : ((value ?? null) as StoredValue);
}

/** The columns of a past content as the table stores them. Fields that are not columns are left out. */
function storedContent(table: SQLiteTable, content: NonNullable<RevisedContent>): StoredRow {
  const columns = getTableColumns(table) as Record<string, SQLiteColumn>;
  return Object.fromEntries(
    Object.entries(content).flatMap(([name, value]) => {
      const column = columns[name];
      if (!column) return [];
      return [[columnName(column), value === null ? null : (column.mapToDriverValue(value) as StoredValue)]];
    }),
  );
}

/** Whether a content has a value for each column that needs one. */
function isWhole(table: SQLiteTable, row: StoredRow): boolean {
  const columns = Object.values(getTableColumns(table)) as SQLiteColumn[];
  return columns.every((column) => !column.notNull || column.hasDefault || columnName(column) in row);
}

/**
 * The rows as they were at the moment. A row that was changed too often for its past to be known stays as it is now.
 * @param past what changes after the moment have replaced, by id
 */
export function asTheyWere(
  table: SQLiteTable,
  rows: readonly StoredRow[],
  past: ReadonlyMap<number, PastContent>,
): StoredRow[] {
  const present = new Set(rows.map(({ id }) => id));
  const changed = rows.flatMap((row) => {
    const content = past.get(Number(row.id));
    if (content === null) return [];
    return content === undefined || content === "unknown"
      ? [row]
      : [{ ...row, ...storedContent(table, content) }];
  });
  const deleted = [...past].flatMap(([id, content]) => {
    if (present.has(id) || content === null || content === "unknown") return [];
    const row: StoredRow = { id, ...storedContent(table, content) };
    return isWhole(table, row) ? [row] : [];
  });
  // Deleted rows come first: a row that has the name of one of them now did not have it then.
  return [...deleted.map((row) => withAllColumns(table, row)), ...changed];
}

/** The row with a value for each column: the default of the column where the row has none. */
function withAllColumns(table: SQLiteTable, row: StoredRow): StoredRow {
  const columns = Object.values(getTableColumns(table)) as SQLiteColumn[];
  return Object.fromEntries(
    columns.map((column) => [columnName(column), row[columnName(column)] ?? defaultOf(column)]),
  );
}

/** The default of a column as the database stores it; null without one. */
export function defaultOf(column: SQLiteColumn): StoredValue {
  const value = column.default;
  return value === undefined || value === null ? null : (column.mapToDriverValue(value) as StoredValue);
}
