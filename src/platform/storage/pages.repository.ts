import { and, asc, gt, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "./open.ts";

/** Rows of a page. */
const PAGE = 200;

/** The rows of a table that meet a condition, by their ids, in pages. Each page is read when it is needed. */
export function* pagesById<T extends SQLiteTable & { id: SQLiteColumn }>(
  db: Db,
  table: T,
  condition?: SQL,
): Generator<T["$inferSelect"][]> {
  for (let after = 0; ; ) {
    const selected = db
      .select()
      .from(table)
      .where(and(gt(table.id, after), condition));
    const page = selected.orderBy(asc(table.id)).limit(PAGE).all() as (T["$inferSelect"] & { id: number })[];
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? 0;
  }
}
