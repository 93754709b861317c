import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Db, prepareOnce } from "./open.ts";
import { rowPlace } from "./words.ts";

/**
 * Makes a function that deletes some rows of a table with a statement that is built once.
 * @param where selects the rows; each deletion passes its numbers by name (`sql.placeholder`)
 * @returns a function that deletes up to `limit` matching rows and returns how many
 */
export function deletionOf<Numbers extends object>(
  table: SQLiteTable,
  where: SQL | undefined,
): (db: Db, numbers: Numbers & { limit: number }) => number {
  const statement = prepareOnce((db) => {
    const rowsToDelete = sql`select ${rowPlace} from ${table} where ${where ?? sql`true`} limit ${sql.placeholder("limit")}`;
    return db
      .delete(table)
      .where(sql`${rowPlace} in (${rowsToDelete})`)
      .returning({ deleted: sql<number>`1`.as("deleted") })
      .prepare();
  });
  return (db, numbers) => statement(db).all({ ...numbers }).length;
}

/** Like `deletionOf`, for rows from before a time. @param where has the number `before` */
export function deletionBefore(
  table: SQLiteTable,
  where: SQL | undefined,
): (db: Db, before: number, limit: number) => number {
  const deletion = deletionOf<{ before: number }>(table, where);
  return (db, before, limit) => deletion(db, { before, limit });
}
