/** Opens and migrates a database on a PostgreSQL server. */
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { postgresDriverUrl } from "../assets.ts";
import type { Lease } from "./lease.postgres.ts";
import { type Db, databaseOn, transaction } from "./open.ts";
import { PostgresClient } from "./postgres/client.ts";
import type { PostgresOptions } from "./postgres/options.ts";
import { PostgresQueryDialect } from "./postgres/query-dialect.ts";
import { type OnTrouble, PostgresSession } from "./postgres/session.ts";

/** Starts the thread that holds the connections of this process. */
export function startPostgresDriver(): Worker {
  return new Worker(postgresDriverUrl(), { ref: false });
}

let sessions = 0;

/** Opens a session. @param limitMs how long a statement may take before the server counts as away, milliseconds */
export function openPostgres(
  driver: Worker,
  options: PostgresOptions,
  limitMs: number,
  onTrouble?: OnTrouble,
): Db {
  const session = PostgresSession.open(driver, ++sessions, options, limitMs, onTrouble);
  return postgresDatabase(new PostgresClient(session));
}

/** The database behind a connection. */
export function postgresDatabase(client: PostgresClient): Db {
  return databaseOn({ kind: "postgres", client }, new PostgresQueryDialect());
}

/** Runs statements that have no parameters, separated by semicolons. */
export function executeScript(db: Db, script: string): void {
  (db.$client as unknown as PostgresClient).exec(script);
}

/** What a migration begins with. Two nodes may start on an empty database, where there is no table to lock yet. */
const BEGIN_MIGRATION = [
  "select pg_advisory_xact_lock(hashtext('muster_migrations'))",
  "create table if not exists muster_migrations (hash text primary key, created_at bigint not null)",
] as const;
const APPLIED = "select hash from muster_migrations";

/** The migrations that a database lacks. @param applied rows of `APPLIED` @param folder drizzle/ */
function pendingMigrations(applied: readonly Record<string, unknown>[], folder: string) {
  const hashes = new Set(applied.map(({ hash }) => hash));
  return readMigrationFiles({ migrationsFolder: join(folder, "postgres") }).filter(
    ({ hash }) => !hashes.has(hash),
  );
}

const RECORD = "insert into muster_migrations (hash, created_at) values";

/** Brings the schema of a database without other users up to this version's. @param folder drizzle/ */
export function migratePostgres(db: Db, folder: string): void {
  transaction(db, () => {
    for (const statement of BEGIN_MIGRATION) executeScript(db, statement);
    const applied = db.$client.query<{ hash: string }>(APPLIED).all();
    for (const { sql, hash, folderMillis } of pendingMigrations(applied, folder)) {
      executeScript(db, sql.join(";"));
      db.$client.run(`${RECORD} (?, ?)`, [hash, folderMillis]);
    }
  });
}

export interface MigrationOptions {
  /**
   * The lease of this node, which no other can take during the upgrade; null on an empty database, which has none.
   */
  lease: Lease | null;
  /** Called before each statement of a migration, which may take long. */
  onStatement(nth: number, count: number): void;
}

/**
 * Brings the schema up to this version's in one transaction, without a time limit. If interrupted, it leaves nothing.
 * Does nothing if another node did it in the meantime.
 * @param folder drizzle/
 */
export async function migratePatiently(
  db: Db,
  folder: string,
  { lease, onStatement }: MigrationOptions,
): Promise<void> {
  await (db.$client as unknown as PostgresClient).patientTransaction(async (run) => {
    await lease?.hold(run);
    for (const statement of BEGIN_MIGRATION) await run(statement);
    const pending = pendingMigrations(await run(APPLIED), folder);
    const count = pending.reduce((sum, { sql }) => sum + sql.length, 0);
    let nth = 0;
    for (const { sql, hash, folderMillis } of pending) {
      for (const statement of sql) {
        onStatement(++nth, count);
        await run(statement);
      }
      await run(`${RECORD} ($1, $2)`, hash, folderMillis);
    }
    await lease?.renewAtEnd(run);
  });
}
