import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./open.ts";

/** Deletes up to `limit` of the rows that match. @returns how many */
export function deleteSome(db: Db, table: SQLiteTable, where: SQL | undefined, limit: number): number {
  const some = sql`select rowid from ${table} where ${where ?? sql`true`} limit ${limit}`;
  return db.all(sql`delete from ${table} where rowid in (${some}) returning 1`).length;
}
