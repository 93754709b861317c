import { count, type SQL, type Subquery } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./open.ts";

/** Number of rows that meet a condition; without one, of all rows. */
export function countRows(db: Db, rows: SQLiteTable | Subquery | SQL, condition?: SQL): number {
  return db.select({ n: count() }).from(rows).where(condition).get()?.n ?? 0;
}
