/** How far a database is migrated, compared with the migrations this executable has. */
import type { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * empty: nothing in it. foreign: no database of Muster. unreleased: made by a build from before the first release, whose
 * migrations are no more. older, newer: made by another version.
 */
export type SchemaVersion = "empty" | "foreign" | "unreleased" | "older" | "current" | "newer";

export interface Migration {
  tag: string;
  /** Milliseconds; the order of the migrations. */
  when: number;
}

/** @param folder the migrations made by drizzle-kit */
export function readJournal(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8")) as {
    entries: Migration[];
  };
  return journal.entries;
}

/** @throws SQLiteError when it is no database */
export function schemaVersion(client: Database, folder: string): SchemaVersion {
  const tables = client.query("select name from sqlite_schema where type = 'table'").all() as {
    name: string;
  }[];
  if (tables.length === 0) return "empty";
  if (!tables.some(({ name }) => name === "__drizzle_migrations")) return "foreign";
  const applied = client.query("select created_at as at from __drizzle_migrations").all() as { at: number }[];
  const journal = readJournal(folder);
  const first = journal[0]?.when ?? 0;
  if (applied.some(({ at }) => Number(at) < first)) return "unreleased";
  const known = new Set(journal.map(({ when }) => when));
  if (applied.some(({ at }) => !known.has(Number(at)))) return "newer";
  return applied.length < known.size ? "older" : "current";
}
