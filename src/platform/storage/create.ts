/** Creates a database, and recovers one after an interrupted write. */
import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { putInPlace } from "../files/durable-file.ts";
import { closing } from "./closing.ts";
import { openDatabase } from "./open.ts";
import { migrateDatabase } from "./sqlite-migrations.ts";

/** Removes the files that SQLite keeps beside a database. */
export function removeBeside(file: string): void {
  for (const ending of ["-wal", "-shm", "-journal"]) rmSync(file + ending, { force: true });
}

/** Removes a database file, which need not exist, with the files that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  rmSync(file, { force: true });
  removeBeside(file);
}

const creating = (file: string) => `${file}.creating`;
/** The file that a restore writes; it replaces the database when it is complete. */
export const restoring = (file: string) => `${file}.restoring`;
/** The file that a move from the other engine writes; it gets its name when it is complete. */
export const moving = (file: string) => `${file}.moving`;

/** Removes the remains of an interrupted first start, restore or move. The caller holds the folder's lock. */
export function removeUnfinished(file: string): void {
  const unfinished = [creating(file), restoring(file), `${restoring(file)}.partial`, moving(file)];
  for (const name of [...unfinished, creating(moving(file))]) removeDatabase(name);
}

/**
 * Creates an empty database with this version's schema. It appears under its name only when complete, so that
 * an interrupted start can simply be repeated. An empty file of that name is replaced.
 */
export function createDatabase(file: string, migrations: string): void {
  const incoming = creating(file);
  removeDatabase(incoming);
  try {
    // Built in memory: SQLite keeps a connection open until its last statement is garbage-collected.
    const db = openDatabase(":memory:");
    closing(db.$client, (client) => {
      migrateDatabase(db, migrations);
      client.query("VACUUM INTO ?").run(incoming);
    });
    // A log left by another database of that name would be applied to this one.
    removeDatabase(file);
    putInPlace(incoming, file);
  } finally {
    removeDatabase(incoming);
  }
}

/** Rolls back what a killed process left; a read-only connection cannot. The caller holds the lock. */
export function recoverJournal(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  closing(new Database(file, { readwrite: true }), (client) => {
    client.run("PRAGMA busy_timeout = 5000");
    client.query("select count(*) from sqlite_schema").get();
  });
}
