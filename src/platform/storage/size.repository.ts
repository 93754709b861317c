import type { Db } from "./open.ts";

function pragma(db: Db, name: "page_count" | "page_size" | "freelist_count"): number {
  return Object.values(db.$client.query(`PRAGMA ${name}`).get() as Record<string, number>)[0] ?? 0;
}

/** Bytes of the database without its log. */
export function databaseSize(db: Db): number {
  return pragma(db, "page_count") * pragma(db, "page_size");
}

/** Free pages and total pages. */
export function freePages(db: Db): { free: number; all: number } {
  return { free: pragma(db, "freelist_count"), all: pragma(db, "page_count") };
}

/** Returns up to `pages` free pages to the file system. */
export function returnPages(db: Db, pages: number): void {
  db.$client.run(`PRAGMA incremental_vacuum(${pages})`);
}
