import { Database } from "bun:sqlite";
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import type { Connection } from "./connection.ts";
import { databaseError } from "./database-error.ts";
import type { PostgresClient } from "./postgres/client.ts";
import * as schema from "./schema.ts";

/**
 * The database as used everywhere in Muster. Its SQL is SQLite's; on PostgreSQL it is translated (see
 * postgres/dialect.ts). `$client` is the connection.
 */
export type Db = BunSQLiteDatabase<typeof schema> & { $client: Connection; engine: Engine };

/** The engine behind a database, for the few things that the two do differently. */
export type Engine =
  | { readonly kind: "sqlite"; readonly client: Database }
  | { readonly kind: "postgres"; readonly client: PostgresClient };

/**
 * Whether each statement whose result is read is a round trip to a server. Then one statement about all messages of a
 * flush is worth its code; otherwise a statement for each is as fast.
 */
export function isRemote(db: Db): boolean {
  return db.engine.kind === "postgres";
}

/** The connection as SQLite's own, for what only files have. @throws when the database is none */
export function sqliteClient(db: Db): Database {
  if (db.engine.kind !== "sqlite") throw new Error("this database is no SQLite file");
  return db.engine.client;
}

function sqliteDatabase(client: Database): Db {
  const db = drizzle(client, { schema, casing: "snake_case" });
  return Object.assign(db, { engine: { kind: "sqlite", client } as const }) as unknown as Db;
}

/** Page cache of the writing connection, KiB: enough for the few megabytes that a flush of events changes. */
const WRITER_CACHE_KB = 8192;

/**
 * Opens the writing connection. Migration and `foreign_keys=ON` follow in migrate.ts.
 * @param path a file, created if missing, or ":memory:"
 */
export function openDatabase(path: string): Db {
  return prepareToWrite(new Database(path, { create: true, strict: true }));
}

/** Makes a connection the writing one. */
export function prepareToWrite(client: Database): Db {
  // The order matters: busy_timeout first, so that no later pragma fails on a lock; auto_vacuum before WAL,
  // since it is ignored afterwards.
  client.run("PRAGMA busy_timeout = 5000");
  client.run("PRAGMA auto_vacuum = INCREMENTAL");
  client.run("PRAGMA journal_mode = WAL");
  client.run("PRAGMA synchronous = FULL");
  client.run(`PRAGMA cache_size = -${WRITER_CACHE_KB}`);
  return sqliteDatabase(client);
}

/** Page cache of a read-only connection, KiB: holds what a long report reads repeatedly. */
const READER_CACHE_KB = 32_768;

/**
 * Opens a read-only connection to a file. Each of its transactions sees everything committed before it began.
 */
export function openReadOnly(path: string): Db {
  const client = new Database(path, { readonly: true, strict: true });
  client.run("PRAGMA busy_timeout = 5000");
  client.run(`PRAGMA cache_size = -${READER_CACHE_KB}`);
  client.run("PRAGMA temp_store = MEMORY");
  return sqliteDatabase(client);
}

/**
 * Writes the log back into the file, if disk space allows, and closes the database. Otherwise the next start
 * does so.
 */
export function closeDatabase(db: Db): void {
  try {
    if (db.engine.kind === "sqlite") db.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (databaseError(error) === null) throw error;
  } finally {
    db.$client.close();
  }
}

/** @throws the database error if nothing can be written now */
export function assertWritable(db: Db): void {
  if (db.engine.kind === "sqlite") {
    db.$client.run("BEGIN IMMEDIATE");
    db.$client.run("ROLLBACK");
  } else transaction(db, () => db.$client.query("select 1").get());
}

/** How to undo, if the transaction under way is rolled back, what was changed outside the database. */
const underWay = new WeakMap<Db, (() => void)[]>();

/** Runs `work` in one immediate transaction. A nested call becomes a savepoint. `work` must not await. */
export function transaction<T>(db: Db, work: () => T): T {
  const outer = underWay.get(db);
  const undoing: (() => void)[] = [];
  underWay.set(db, undoing);
  try {
    const result = db.$client.transaction(work).immediate();
    outer?.push(...undoing);
    return result;
  } catch (error) {
    for (const undo of undoing.reverse()) undo();
    throw error;
  } finally {
    if (outer) underWay.set(db, outer);
    else underWay.delete(db);
  }
}

/**
 * Makes a function that computes a value once in each transaction, and each time outside of one. For what may be asked
 * for every message of a flush, and does not change meanwhile.
 */
export function oncePerTransaction<T extends object>(compute: (db: Db) => T): (db: Db) => T {
  const computed = new WeakMap<object, T>();
  return (db) => {
    const transaction = underWay.get(db);
    if (!transaction) return compute(db);
    const value = computed.get(transaction) ?? compute(db);
    computed.set(transaction, value);
    return value;
  };
}

/** Registers how to undo a change outside the database if the current transaction is rolled back. */
export function onRollback(db: Db, undo: () => void): void {
  underWay.get(db)?.push(undo);
}

/**
 * Builds a statement once per database and reuses it: building the SQL costs several times as much as running
 * it. Use it for statements that run with every message or many times per message.
 */
export function prepareOnce<T extends object>(build: (db: Db) => T): (db: Db) => T {
  const prepared = new WeakMap<Db, T>();
  return (db) => {
    const known = prepared.get(db);
    if (known) return known;
    const built = build(db);
    prepared.set(db, built);
    return built;
  };
}

/**
 * A numeric parameter in a condition of a `prepareOnce` statement. With a bare parameter, SQLite plans the
 * statement again at each binding if the query is sorted or a partial index has a condition on the same
 * column, which costs ten times as much as running it. The unary plus hides the parameter from the planner.
 */
export function bound(name: string): SQL {
  return sql`+${sql.placeholder(name)}`;
}

/**
 * How many rows a `prepareOnce` statement reads at most, for `limit()`. SQLite plans a statement again at each binding
 * of a bare parameter there too.
 * @param limit the number, or the name of the parameter
 */
export function atMost(limit: number | string): Placeholder {
  const written = typeof limit === "number" ? sql.raw(String(limit)) : bound(limit);
  // The type of `limit()` knows numbers and placeholders alone; what it does with any SQL is the same.
  return written as unknown as Placeholder;
}
