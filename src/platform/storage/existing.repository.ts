import { and, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./open.ts";
import { listOf } from "./words.ts";

/** Whether a row of a table meets a condition. */
export function hasRow(db: Db, table: SQLiteTable, condition: SQL | undefined): boolean {
  const row = db.select({ found: sql`1` }).from(table).where(condition).limit(1).get();
  return row !== undefined;
}

/** The ids among these that rows of a table have. @param condition a further one */
export function existingIds(
  db: Db,
  table: SQLiteTable & { id: SQLiteColumn },
  ids: readonly number[],
  condition?: SQL,
): Set<number> {
  const isListed = sql`${table.id} in ${listOf(ids)}`;
  const rows = db
    .select({ id: sql<number>`${table.id}` })
    .from(table)
    .where(and(isListed, condition))
    .all();
  return new Set(rows.map(({ id }) => id));
}
