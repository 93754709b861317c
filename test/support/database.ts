/** The database of a test app: SQLite in memory, or a database of its own on a real PostgreSQL. */
import { Database } from "bun:sqlite";
import { emptyImage } from "../../src/platform/storage/empty-database.ts";
import { engineOf } from "../../src/platform/storage/engine.ts";
import { type Db, prepareToWrite, sqliteClient } from "../../src/platform/storage/open.ts";
import {
  executeScript,
  postgresDatabase,
  startPostgresDriver,
} from "../../src/platform/storage/open-postgres.ts";
import type { PostgresClient } from "../../src/platform/storage/postgres/client.ts";
import { PostgresStatement } from "../../src/platform/storage/postgres/statement.ts";
import { MigratedDatabases } from "./migrated-databases.ts";
import type { PostgresServer } from "./postgres-server.ts";
import { atTestEnd } from "./test-end.ts";

/** Empties all tables and starts their ids at 1 again. To delete few rows is much faster than to truncate. */
const EMPTY = `create function empty_all() returns void language plpgsql as $$
declare each record;
begin
  set local session_replication_role = replica;
  for each in select tablename from pg_tables where schemaname = 'public' and tablename <> 'muster_migrations' loop
    execute format('delete from %I', each.tablename);
  end loop;
  perform setval(format('%I', sequencename)::regclass, 1, false) from pg_sequences where last_value is not null;
end $$`;

/** The parts of SQLite that statements of tests use. */
const AS_IN_SQLITE = `
create function ifnull(bigint, bigint) returns bigint language sql immutable as 'select coalesce($1, $2)';
create function ifnull(bigint, numeric) returns numeric language sql immutable as 'select coalesce($1, $2)';
create function ifnull(bigint, text) returns text language sql immutable as 'select coalesce($1::text, $2)';
create function ifnull(text, text) returns text language sql immutable as 'select coalesce($1, $2)';
create function iif(boolean, bigint, bigint) returns bigint language sql immutable as 'select case when $1 then $2 else $3 end';
create function iif(boolean, text, text) returns text language sql immutable as 'select case when $1 then $2 else $3 end';
create function hex(bytea) returns text language sql immutable as $$select upper(encode($1, 'hex'))$$;
create function zeroblob(bigint) returns bytea language sql immutable as $$select decode(repeat('00', $1::int), 'hex')$$;
update pg_cast set castcontext = 'a' where castsource = 'int4'::regtype and casttarget = 'bool'::regtype;`;

/**
 * An object, its statements and its functions, until `isOver` holds. What a test left unfinished, such as an attempt that
 * ends by a time limit minutes later, then fails instead of writing among the rows of another test.
 */
function until<T extends object>(isOver: () => boolean, of: T): T {
  const checked = (target: object, work: unknown, args: unknown[]): unknown => {
    if (isOver()) throw new Error("this database is another test's now");
    const made: unknown = Reflect.apply(work as () => unknown, target, args);
    return typeof made === "function" || made instanceof PostgresStatement ? until(isOver, made) : made;
  };
  return new Proxy(of, {
    apply: (work, _, args) => checked(of, work, args),
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (...args: unknown[]) => checked(target, member, args) : member;
    },
  });
}

/** How many databases of tests that ended stay as they are, since what a test leaves unfinished usually ends soon after it. */
const RESTING = 8;

/** A database that a test used. */
interface Used {
  /** The real one; the test has a guarded one until its access ends. */
  own: Db;
  endAccess: () => void;
}

/** Databases for tests on one server. They are reused, since creating one takes a tenth of a second. */
export class TestDatabases {
  /**
   * @param resting how many databases wait before the one that waited longest is reused
   * @param atEnd is given what to call when the test ends
   */
  constructor(
    server: PostgresServer,
    private readonly resting = RESTING,
    private readonly atEnd = atTestEnd,
  ) {
    this.#migrated = new MigratedDatabases(server, startPostgresDriver(), (db) => {
      db.$client.run(EMPTY);
      executeScript(db, AS_IN_SQLITE);
    });
  }

  readonly #migrated: MigratedDatabases;
  #databases = 0;
  readonly #free: Used[] = [];

  /** A database for the present test, until it ends. */
  take(): Db {
    const rested = this.#free.length >= this.resting ? this.#free.shift() : undefined;
    const own = (rested && this.#emptied(rested)) ?? this.#make();
    let isOver = false;
    const endAccess = () => {
      isOver = true;
    };
    this.atEnd(() => this.#free.push({ own, endAccess }));
    return postgresDatabase(until(() => isOver, postgresClient(own)));
  }

  /** @returns null when a test closed it, or left its own schema */
  #emptied({ own: db, endAccess }: Used): Db | null {
    endAccess();
    try {
      db.$client.query("select empty_all()").all();
      return db;
    } catch {
      db.$client.close();
      return null;
    }
  }

  #make(): Db {
    return this.#migrated.create(`test_${process.pid}_${++this.#databases}`);
  }
}

function postgresClient(db: Db): PostgresClient {
  const engine = engineOf(db);
  if (engine.kind !== "postgres") throw new Error("this database is no PostgreSQL database");
  return engine.client;
}

let databases: TestDatabases | null = null;

/** From now on, tests run on this server. */
export function useServer(server: PostgresServer): void {
  databases = new TestDatabases(server);
}

/** Whether tests run on PostgreSQL. */
export function isOnPostgres(): boolean {
  return databases !== null;
}

/** The databases from which `copyDatabase` copies. */
export function bytesOf(db: Db): Uint8Array {
  return sqliteClient(db).serialize();
}

/** Databases in memory of tests that ended. */
const resting: Db[] = [];

/**
 * A database in memory with the same content as another of this version, which costs a tenth of making and filling it. It is
 * closed some time after the test ended: thousands of them would take gigabytes.
 */
export function copyDatabase(bytes: Uint8Array): Db {
  const db = prepareToWrite(Database.deserialize(bytes, { strict: true }));
  db.$client.run("PRAGMA foreign_keys = ON");
  atTestEnd(() => {
    resting.push(db);
    if (resting.length > RESTING) resting.shift()?.$client.close();
  });
  return db;
}

/** A new database with the schema of this version and nothing in it. */
export function testDatabase(): Db {
  if (databases) return databases.take();
  return copyDatabase(emptyImage());
}
