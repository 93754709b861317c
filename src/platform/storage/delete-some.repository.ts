import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { bound, type Db, prepareOnce } from "./open.ts";
import { rowPlace } from "./words.ts";

/**
 * Makes a deletion of some rows of a table, a statement that is built once.
 * @param where what matches; its numbers are given to each deletion by their names (`bound`)
 * @returns deletes up to `limit` of the rows that match, and returns how many
 */
export function deletionOf<Numbers extends object>(
  table: SQLiteTable,
  where: SQL | undefined,
): (db: Db, numbers: Numbers & { limit: number }) => number {
  const statement = prepareOnce((db) => {
    const rowsToDelete = sql`select ${rowPlace} from ${table} where ${where ?? sql`true`} limit ${bound("limit")}`;
    return db
      .delete(table)
      .where(sql`${rowPlace} in (${rowsToDelete})`)
      .returning({ deleted: sql<number>`1`.as("deleted") })
      .prepare();
  });
  return (db, numbers) => statement(db).all({ ...numbers }).length;
}

/** As `deletionOf`, of rows from before a time. @param where has the number `before` */
export function deletionBefore(
  table: SQLiteTable,
  where: SQL | undefined,
): (db: Db, before: number, limit: number) => number {
  const deletion = deletionOf<{ before: number }>(table, where);
  return (db, before, limit) => deletion(db, { before, limit });
}
