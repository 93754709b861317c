import { Database } from "bun:sqlite";
import { BunSQLiteDatabase, SQLiteBunSession } from "drizzle-orm/bun-sqlite";
import type { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { LruMap } from "../lru-map.ts";
import type { DatabaseConnection } from "./connection.ts";
import { databaseError } from "./database-error.ts";
import { type Engine, engineOf, type OnEngine, onEngine } from "./engine.ts";
import { QueryDialect } from "./query-dialect.ts";
import type * as schema from "./schema.ts";

/**
 * The database as used everywhere in Muster. Its SQL is what both engines understand (see words.ts).
 * `$client` is the connection.
 */
export type Db = BunSQLiteDatabase<typeof schema> & { $client: DatabaseConnection } & OnEngine;

/** The connection as SQLite's, for what only files have. @throws for a database on a server */
export function sqliteClient(db: Db): Database {
  const engine = engineOf(db);
  if (engine.kind !== "sqlite") throw new Error("this database is not a SQLite file");
  return engine.client;
}

/** The most compiled statements that a connection keeps for the next use of the same SQL. */
const MAX_COMPILED = 200;

/**
 * Makes a connection keep the compiled statements of the query builder, since compiling costs more than running most of
 * them. The least recently used are dropped.
 */
function keepCompiled(client: Database): void {
  const compile = client.prepare.bind(client);
  const compiled = new LruMap<string, ReturnType<Database["prepare"]>>(MAX_COMPILED);
  client.prepare = ((sql: string) => {
    const statement = compiled.get(sql) ?? compile(sql);
    compiled.set(sql, statement);
    return statement;
  }) as Database["prepare"];
}

/**
 * Makes closing a connection close its statements, too. Otherwise the file stays open until they are garbage-collected,
 * and removing it does not free its space.
 */
function endStatements(client: Database): void {
  client.close = client.close.bind(client, true);
}

/**
 * Hides the values of parameters from SQLite's planner by a unary plus, which changes no value of any type. It would look
 * at some, such as a limit, and plan the statement anew whenever it runs with other values, which costs ten times as much as
 * running it. So a condition that selects a partial index has to have its value in the statement (`TRUE`), not as a parameter.
 */
class HiddenParameters extends QueryDialect {
  override escapeParam(): string {
    return "+?";
  }
}

/** Shared by all databases: all that it remembers are names of columns. */
const SQLITE = new HiddenParameters();

/** The database of an engine. @param dialect writes the statements of the query builder */
export function databaseOn(engine: Engine, dialect: SQLiteSyncDialect): Db {
  const $client = engine.client as Database;
  const session = new SQLiteBunSession($client, dialect, undefined);
  const db = Object.assign(new BunSQLiteDatabase("sync", dialect, session, undefined), { $client });
  return onEngine(db, engine) as unknown as Db;
}

function sqliteDatabase(client: Database): Db {
  keepCompiled(client);
  endStatements(client);
  return databaseOn({ kind: "sqlite", client }, SQLITE);
}

/**
 * Page cache of the writing connection, KiB. It holds the pages that the messages of 1,000 hosts with events change again and
 * again, about five of each host. With half of this, each message would read its pages anew.
 */
const WRITER_CACHE_KB = 16_384;
/**
 * Size of a page of new files, bytes. A message changes a few short rows in many pages, and each of these is written to the
 * log as a whole.
 */
export const PAGE_BYTES = 2048;
/**
 * Size of the log, bytes, after which its pages are written back into the file. Each page is written back once, however
 * often it changed. Most pages that an event changes hold only rows of its host. With 1,000 hosts, a log of a quarter
 * of this size has room for one event of each, so nearly every page would be written twice.
 */
const CHECKPOINT_BYTES = 64 * 1024 * 1024;

/**
 * Opens the writing connection. `foreign_keys=ON` follows, after a migration.
 * @param path a file, created if missing, or ":memory:"
 */
export function openDatabase(path: string): Db {
  return prepareToWrite(new Database(path, { create: true, strict: true }));
}

/** Bytes of a page. Files that were created with larger pages keep them. */
function pageSizeOf(client: Database): number {
  return client.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? PAGE_BYTES;
}

/**
 * Lets the file give empty pages back. SQLite writes this to the file even if it is set already, so that is checked.
 */
function vacuumIncrementally(client: Database): void {
  const INCREMENTAL = 2;
  const mode = client.query<{ auto_vacuum: number }, []>("PRAGMA auto_vacuum").get()?.auto_vacuum;
  if (mode !== INCREMENTAL) client.run("PRAGMA auto_vacuum = INCREMENTAL");
}

/** Makes a connection the writing one. */
export function prepareToWrite(client: Database): Db {
  // The order matters: busy_timeout first, so that no later pragma fails on a lock; page_size and auto_vacuum before WAL,
  // since they are ignored afterwards.
  client.run("PRAGMA busy_timeout = 5000");
  client.run(`PRAGMA page_size = ${PAGE_BYTES}`);
  vacuumIncrementally(client);
  client.run("PRAGMA journal_mode = WAL");
  client.run("PRAGMA synchronous = FULL");
  client.run(`PRAGMA cache_size = -${WRITER_CACHE_KB}`);
  // What a statement needs to undo only itself would otherwise be written to temporary files.
  client.run("PRAGMA temp_store = MEMORY");
  client.run(`PRAGMA wal_autocheckpoint = ${Math.round(CHECKPOINT_BYTES / pageSizeOf(client))}`);
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

/** Opens a database in memory with a copy of this content. @param image as SQLite serializes it */
export function openImage(image: Uint8Array): Db {
  const client = Database.deserialize(image, { strict: true });
  client.run("PRAGMA temp_store = MEMORY");
  return sqliteDatabase(client);
}

/**
 * Writes the log back into the file, if disk space allows, and closes the database. Otherwise the next start
 * does so.
 */
export function closeDatabase(db: Db): void {
  try {
    if (engineOf(db).kind === "sqlite") db.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (databaseError(error) === null) throw error;
  } finally {
    db.$client.close();
  }
}

/** @throws the database error if nothing can be written now */
export function assertWritable(db: Db): void {
  if (engineOf(db).kind === "sqlite") {
    db.$client.run("BEGIN IMMEDIATE");
    db.$client.run("ROLLBACK");
  } else transaction(db, () => db.$client.query("select 1").get());
}

/** The open transaction of each database: functions that undo changes outside the database if it is rolled back. */
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
 * Makes a function that computes a value once per transaction; outside of one, at each call. For values that every
 * message of a flush may need and that do not change within it.
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
    const statement = prepared.get(db);
    if (statement) return statement;
    const newStatement = build(db);
    prepared.set(db, newStatement);
    return newStatement;
  };
}
