/** A new database, and one that was left in the middle of a write. */
import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { putInPlace } from "../files/durable-file.ts";
import { migrateDatabase } from "./migrate.ts";
import { openDatabase } from "./open.ts";

/** Files that SQLite keeps beside a database. */
const BESIDE = ["-wal", "-shm", "-journal"] as const;

/** Removes a database with all that belongs to it. */
export function removeDatabase(file: string): void {
  for (const ending of ["", ...BESIDE]) rmSync(file + ending, { force: true });
}

/** Under which name a new database is made. */
const creating = (file: string) => `${file}.creating`;
/** Under which name a backup is copied before it takes the place of the database. */
export const restoring = (file: string) => `${file}.restoring`;

/** Removes what a first start or a restore left that was killed. The caller holds the folder's lock. */
export function removeUnfinished(file: string): void {
  for (const name of [creating(file), restoring(file), `${restoring(file)}.partial`]) removeDatabase(name);
}

/**
 * Makes an empty database with this version's schema. It appears under its name only once it is whole: whenever this breaks
 * off, the next start begins anew. An empty file of that name is replaced.
 */
export function createDatabase(file: string, migrations: string): void {
  const incoming = creating(file);
  removeDatabase(incoming);
  try {
    // Made in memory: a connection stays open within this process until its last statement is collected.
    const db = openDatabase(":memory:");
    try {
      migrateDatabase(db, migrations);
      db.$client.query("VACUUM INTO ?").run(incoming);
    } finally {
      db.$client.close();
    }
    // What belonged to another database of that name would be taken for this one's.
    removeDatabase(file);
    putInPlace(incoming, file);
  } finally {
    removeDatabase(incoming);
  }
}

/**
 * Rolls back what a process that was killed left half written, as while it switched a database to its log. Reading alone
 * cannot do so. The caller holds the folder's lock.
 */
export function recoverJournal(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  const client = new Database(file, { readwrite: true });
  try {
    client.run("PRAGMA busy_timeout = 5000");
    client.query("select count(*) from sqlite_schema").get();
  } finally {
    client.close();
  }
}
