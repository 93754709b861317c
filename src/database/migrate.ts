import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import type { Db } from "./open.ts";

/**
 * Brings the database to this version's schema.
 * Foreign keys are off meanwhile: a table that a migration rebuilds would otherwise take its child rows with it.
 * @param folder the migrations made by drizzle-kit
 * @throws if a row is left pointing nowhere
 */
export function migrateDatabase(db: Db, folder: string): void {
  db.$client.run("PRAGMA foreign_keys = OFF");
  migrate(db, { migrationsFolder: folder });
  const dangling = db.$client.query("PRAGMA foreign_key_check").all();
  if (dangling.length > 0) throw new Error(`the database has ${dangling.length} rows that point nowhere`);
  db.$client.run("PRAGMA foreign_keys = ON");
}
