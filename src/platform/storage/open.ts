import { Database } from "bun:sqlite";
import { type SQL, sql } from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { databaseError } from "./database-error.ts";
import * as schema from "./schema.ts";

/** The database as everything in Muster sees it; `$client` is the SQLite connection below. */
export type Db = BunSQLiteDatabase<typeof schema> & { $client: Database };

/** Pages that the writing connection keeps: those that a flush of events changes, which are some MB. */
const WRITER_CACHE_KB = 8192;

/**
 * Opens the writing connection. Migrating and `foreign_keys=ON` come after (see migrate.ts).
 * @param path a file, made if missing, or ":memory:"
 */
export function openDatabase(path: string): Db {
  const client = new Database(path, { create: true, strict: true });
  // The order matters: the waiting time first, so that no later pragma fails on a lock; auto_vacuum before WAL,
  // since it is ignored afterwards.
  client.run("PRAGMA busy_timeout = 5000");
  client.run("PRAGMA auto_vacuum = INCREMENTAL");
  client.run("PRAGMA journal_mode = WAL");
  client.run("PRAGMA synchronous = FULL");
  client.run(`PRAGMA cache_size = -${WRITER_CACHE_KB}`);
  return drizzle(client, { schema, casing: "snake_case" });
}

/** Pages that a reading connection keeps: what a long report reads again and again. */
const READER_CACHE_KB = 32_768;

/**
 * Opens another connection to a file, one that cannot write. Each of its transactions sees everything that was committed
 * before it began.
 */
export function openReadOnly(path: string): Db {
  const client = new Database(path, { readonly: true, strict: true });
  client.run("PRAGMA busy_timeout = 5000");
  client.run(`PRAGMA cache_size = -${READER_CACHE_KB}`);
  client.run("PRAGMA temp_store = MEMORY");
  return drizzle(client, { schema, casing: "snake_case" });
}

export function closeReadOnly(db: Db): void {
  db.$client.close();
}

/** Writes the whole log back into the file, if the disk has space for it, and closes it. Else the next start does. */
export function closeDatabase(db: Db): void {
  try {
    db.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (databaseError(error) === null) throw error;
  } finally {
    db.$client.close();
  }
}

/** What follows the outermost transaction that is under way. */
interface Outcome {
  afterCommit: (() => void)[];
  onRollback: (() => void)[];
}

const underWay = new WeakMap<Db, Outcome>();

/**
 * Runs `work` in one immediate transaction: all of it is stored or nothing. Within another transaction it becomes a
 * savepoint of that one. `work` must not await.
 */
export function transaction<T>(db: Db, work: () => T): T {
  const outer = underWay.get(db);
  const outcome: Outcome = { afterCommit: [], onRollback: [] };
  underWay.set(db, outcome);
  let result: T;
  try {
    result = db.$client.transaction(work).immediate();
  } catch (error) {
    for (const undo of outcome.onRollback.reverse()) undo();
    throw error;
  } finally {
    if (outer) underWay.set(db, outer);
    else underWay.delete(db);
  }
  if (outer) {
    outer.afterCommit.push(...outcome.afterCommit);
    outer.onRollback.push(...outcome.onRollback);
  } else for (const act of outcome.afterCommit) act();
  return result;
}

/** Does what cannot be taken back, as deleting a file, once the transaction under way is durable; without one at once. */
export function afterCommit(db: Db, act: () => void): void {
  const outcome = underWay.get(db);
  if (outcome) outcome.afterCommit.push(act);
  else act();
}

/** Names what takes back a change outside of the database, if the transaction under way is rolled back. */
export function onRollback(db: Db, undo: () => void): void {
  underWay.get(db)?.onRollback.push(undo);
}

/**
 * A statement that is built once per database and then reused: building the SQL costs several times as much as running
 * it. For statements that run with every message, or many times for one.
 */
export function prepareOnce<T extends object>(build: (db: Db) => T): (db: Db) => T {
  const prepared = new WeakMap<Db, T>();
  return (db) => {
    const known = prepared.get(db) ?? build(db);
    prepared.set(db, known);
    return known;
  };
}

/**
 * A number that is bound to a statement of `prepareOnce`, for conditions. With a bare parameter in one, SQLite plans the
 * statement anew each time it is bound, if the query is sorted or a partial index has a condition on the same column;
 * that costs ten times as much as running it. It does not look behind the plus.
 */
export function bound(name: string): SQL {
  return sql`+${sql.placeholder(name)}`;
}
