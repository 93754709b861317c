import { count, eq } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { savedFilters } from "../../platform/storage/schema.ts";

/** All saved filters, by name. */
export function allFilters(db: Db) {
  const { id, name, screen, query, createdAt: created } = savedFilters;
  const rows = db.select({ id, name, screen, query, created }).from(savedFilters).all();
  return inNameOrder(rows, (row) => row.name);
}

export function findFilterByName(db: Db, name: string) {
  return db.select({ id: savedFilters.id }).from(savedFilters).where(eq(savedFilters.name, name)).get();
}

export function countFilters(db: Db): number {
  return db.select({ n: count() }).from(savedFilters).get()?.n ?? 0;
}

export function insertFilter(db: Db, row: typeof savedFilters.$inferInsert): number {
  return db.insert(savedFilters).values(row).returning({ id: savedFilters.id }).get().id;
}

/** @returns whether there was such a filter */
export function renameFilter(db: Db, id: number, name: string): boolean {
  const renamed = db.update(savedFilters).set({ name }).where(eq(savedFilters.id, id));
  return renamed.returning({ id: savedFilters.id }).all().length > 0;
}

/** @returns its name; undefined if there was no such filter */
export function deleteFilter(db: Db, id: number): string | undefined {
  const { name } = savedFilters;
  return db.delete(savedFilters).where(eq(savedFilters.id, id)).returning({ name }).get()?.name;
}
