import { reasonOf } from "../text.ts";
import { damage } from "./backup.ts";
import { isDamage } from "./database-error.ts";
import { engineOf } from "./engine.ts";
import { type Db, sqliteClient } from "./open.ts";
import { databaseSize } from "./size.repository.ts";

/** Databases of up to this size, bytes, are checked completely at startup. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The only tables checked in larger databases: every message or sign-in needs them. */
const TABLES = ["settings", "users", "sessions", "names", "hosts", "services"];
/** Tables with more rows are skipped to keep startup short. */
const MAX_ROWS = 100_000;

/** Every problem that SQLite finds in the file; a server checks its own pages. */
export function fileDamage(db: Db): string[] {
  return engineOf(db).kind === "postgres" ? [] : damage(sqliteClient(db));
}

/** The first problem found within about a second; null without one. muster doctor checks everything. */
export function quickDamage(db: Db): string | null {
  if (engineOf(db).kind === "postgres") return null;
  const client = sqliteClient(db);
  if (databaseSize(db) <= MAX_BYTES) return damage(client, 1, "quick_check")[0] ?? null;
  try {
    for (const table of TABLES) {
      const last = client.query(`select max(rowid) as id from "${table}"`).get() as { id: number | null };
      const [problem] = (last.id ?? 0) > MAX_ROWS ? [] : damage(client, table, "quick_check");
      if (problem !== undefined) return problem;
    }
  } catch (error) {
    if (isDamage(error)) return reasonOf(error);
    throw error;
  }
  return null;
}
