/** A PostgreSQL server for the tests of a file. */
import type { Program } from "../../scripts/test-tools.ts";
import type { Db } from "../../src/platform/storage/open.ts";
import { startPostgresDriver } from "../../src/platform/storage/open-postgres.ts";
import { LIMIT_MS, MigratedDatabases } from "./migrated-databases.ts";
import { PostgresServer } from "./postgres-server.ts";
import { needing } from "./programs.ts";

/** The server of the file whose tests run. */
export let server: PostgresServer;

let started: Worker | undefined;
let migrated: MigratedDatabases;
let databases = 0;

/** The thread that talks to the server, one for all tests. */
export function driver(): Worker {
  started ??= startPostgresDriver();
  return started;
}

/**
 * Starts a server for the tests of the file, and ends it after them.
 * @returns `test` and its hooks, where the server and these programs run
 */
export function postgresTests(...programs: readonly Program[]) {
  const tests = needing("postgres", ...programs);
  tests.beforeAll(async () => {
    server = await PostgresServer.start();
    migrated = new MigratedDatabases(server, driver());
  });
  tests.afterAll(() => server[Symbol.asyncDispose]());
  return tests;
}

const newName = () => `database_${++databases}`;

/** The name of a new database of the server. */
export function newDatabase(): string {
  const name = newName();
  server.query(`create database ${name}`);
  return name;
}

/** The name of a new database with the tables of Muster, which nobody uses. */
export function migratedDatabase(): string {
  const { db, name } = openedDatabase();
  db.$client.close();
  return name;
}

/** A new database with the tables of Muster. @param limitMs how long a statement may take */
export function openedDatabase(limitMs = LIMIT_MS): { db: Db; name: string } {
  const name = newName();
  return { db: migrated.create(name, limitMs), name };
}
