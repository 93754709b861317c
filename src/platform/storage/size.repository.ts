import { engineOf } from "./engine.ts";
import { type Db, sqliteClient } from "./open.ts";

function pragma(db: Db, name: "page_count" | "page_size" | "freelist_count"): number {
  return Object.values(sqliteClient(db).query(`PRAGMA ${name}`).get() as Record<string, number>)[0] ?? 0;
}

/** The engine, for people. */
export function engineName(db: Db): "SQLite" | "PostgreSQL" {
  return engineOf(db).kind === "postgres" ? "PostgreSQL" : "SQLite";
}

/** Bytes of the database without its log. */
export function databaseSize(db: Db): number {
  if (engineOf(db).kind === "postgres")
    return db.$client.query<{ n: number }>("select pg_database_size(current_database()) as n").get()?.n ?? 0;
  return pragma(db, "page_count") * pragma(db, "page_size");
}

/** Free pages and total pages. A PostgreSQL server manages its pages itself. */
export function freePages(db: Db): { free: number; total: number } {
  if (engineOf(db).kind === "postgres") return { free: 0, total: 0 };
  return { free: pragma(db, "freelist_count"), total: pragma(db, "page_count") };
}

/** Returns up to `pages` free pages to the file system. */
export function returnPages(db: Db, pages: number): void {
  db.$client.run(`PRAGMA incremental_vacuum(${pages})`);
}
