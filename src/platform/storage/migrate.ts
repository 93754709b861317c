import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import { StartupError } from "../startup-error.ts";
import type { Db } from "./open.ts";

function appliedMigrations(db: Db): number {
  const isNew =
    db.$client.query("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'").get() === null;
  if (isNew) return 0;
  const row = db.$client.query("SELECT count(*) AS n FROM __drizzle_migrations").get() as { n: number };
  return row.n;
}

function applyMigrations(db: Db, folder: string): void {
  try {
    migrate(db, { migrationsFolder: folder });
  } catch (error) {
    if (db.$client.inTransaction) throw error;
    // The library then fails at rolling back, and says only that.
    throw new StartupError(`the schema cannot be written: is the disk full? (${String(error)})`);
  }
}

/**
 * Brings the database to this version's schema.
 * Foreign keys are off meanwhile: a table that a migration rebuilds would otherwise take its child rows with it.
 * @param folder the migrations made by drizzle-kit
 * @throws if a migration leaves a row pointing nowhere
 */
export function migrateDatabase(db: Db, folder: string): void {
  db.$client.run("PRAGMA foreign_keys = OFF");
  const before = appliedMigrations(db);
  applyMigrations(db, folder);
  // Only a migration can have broken references, and with millions of rows the check takes many seconds.
  const dangling = appliedMigrations(db) === before ? [] : db.$client.query("PRAGMA foreign_key_check").all();
  if (dangling.length > 0) throw new Error(`the database has ${dangling.length} rows that point nowhere`);
  db.$client.run("PRAGMA foreign_keys = ON");
}
