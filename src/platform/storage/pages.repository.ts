import { asc, gt } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./open.ts";

/** Rows of a page. */
const PAGE = 200;

/** All rows of a table by their ids, in pages. Each page is read when it is needed. */
export function* pagesById<T extends SQLiteTable & { id: SQLiteColumn }>(
  db: Db,
  table: T,
): Generator<T["$inferSelect"][]> {
  for (let after = 0; ; ) {
    const rows = db.select().from(table).where(gt(table.id, after)).orderBy(asc(table.id)).limit(PAGE).all();
    const page = rows as (T["$inferSelect"] & { id: number })[];
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? 0;
  }
}
