/** A database of Muster on a PostgreSQL server: how it is recognised, opened and upgraded. */
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { openSharedSecretBox } from "../secrets/key-file.ts";
import { StartupError } from "../startup-error.ts";
import { VERSION } from "../version.ts";
import { closing } from "./closing.ts";
import type { DataFolder, OpenFolder } from "./folder.ts";
import { assertNobodyActive, Lease } from "./lease.postgres.ts";
import type { ClusterNode, Nodes } from "./nodes.postgres.ts";
import type { Db } from "./open.ts";
import { executeScript, migratePostgres, openPostgres, startPostgresDriver } from "./open-postgres.ts";
import { describe } from "./postgres/database-url.ts";
import type { PostgresOptions } from "./postgres/options.ts";
import { DatabaseAway, PostgresError } from "./postgres/postgres-error.ts";

/** How long a statement of a command may take before the server counts as away, milliseconds. */
const COMMAND_LIMIT_MS = 600_000;

/** Oldest version of PostgreSQL, as the server numbers it. */
const OLDEST = 140_000;

type Found = "empty" | "older" | "current";

function tablesIn(db: Db): string[] {
  const rows = db.$client
    .query<{ name: string }>("select tablename as name from pg_tables where schemaname = current_schema()")
    .all();
  return rows.map(({ name }) => name);
}

/**
 * @param version as the server numbers it
 * @returns why Muster cannot use a database; null if it can
 */
export function hindrance(version: number, mayCreate: boolean, user: string): string | null {
  if (version < OLDEST)
    return `PostgreSQL ${Math.floor(version / 10_000)} is too old: Muster needs 14 or newer`;
  return mayCreate ? null : `the user ${user} has no right to create tables there`;
}

function assertUsable(db: Db, { user }: PostgresOptions): void {
  const row = db.$client
    .query<{ version: number; mayCreate: number }>(
      `select current_setting('server_version_num')::bigint as version,
         has_schema_privilege(current_schema(), 'create') as "mayCreate"`,
    )
    .get();
  const reason = hindrance(row?.version ?? 0, row?.mayCreate === 1, user);
  if (reason !== null) throw new StartupError(reason);
}

/** What is in the database. @throws StartupError when Muster cannot use it */
function inspect(db: Db, options: PostgresOptions, migrations: string): Found {
  assertUsable(db, options);
  const tables = tablesIn(db);
  if (tables.length === 0) return "empty";
  if (!tables.includes("muster_migrations")) throw new StartupError("it holds something else than Muster");
  const own = readMigrationFiles({ migrationsFolder: join(migrations, "postgres") }).map(({ hash }) => hash);
  const applied = db.$client.query<{ hash: string }>("select hash from muster_migrations").all();
  if (applied.some(({ hash }) => !own.includes(hash)))
    throw new StartupError(`it was made by a newer Muster than this one, ${VERSION}: use that one`);
  return applied.length === own.length ? "current" : "older";
}

/** A database on a server, opened by one node of those that use it. */
export class DatabaseServer {
  private constructor(
    readonly db: Db,
    private readonly options: PostgresOptions,
    private readonly migrations: string,
  ) {}

  /**
   * Connects, and creates the tables in an empty database.
   * @param limitMs how long a statement may take, milliseconds
   * @throws ServerAway; StartupError when it is none that Muster can use
   */
  static open(options: PostgresOptions, driver: Worker, migrations: string, limitMs: number): DatabaseServer {
    return explained(options, () => {
      const db = openPostgres(driver, { ...options, looksUp: true }, limitMs);
      try {
        if (inspect(db, options, migrations) === "empty") migratePostgres(db, migrations);
        return new DatabaseServer(db, options, migrations);
      } catch (error) {
        db.$client.close();
        throw error;
      }
    });
  }

  /**
   * Makes this node the active one, unless another one is or the server is away. Then brings the schema up to this version.
   * @throws StartupError when the database was upgraded to a newer version, or has another key
   */
  activate(node: string, folder: DataFolder): { open: OpenFolder; lease: Lease } | null {
    return this.#unlessAway(() => {
      const lease = Lease.take(this.db, node);
      if (!lease) return null;
      try {
        if (inspect(this.db, this.options, this.migrations) !== "current")
          migratePostgres(this.db, this.migrations);
        const box = openSharedSecretBox(folder.key, this.db.$client, true);
        return { open: { db: this.db, box }, lease };
      } catch (error) {
        lease.release();
        throw error;
      }
    });
  }

  /**
   * Stores that this standby runs.
   * @returns all nodes; null while the server is away
   * @throws StartupError when the active node has brought the database to a newer version than this one's
   */
  standBy(nodes: Nodes): ClusterNode[] | null {
    return this.#unlessAway(() => {
      inspect(this.db, this.options, this.migrations);
      nodes.seen();
      return nodes.list();
    });
  }

  #unlessAway<T>(work: () => T): T | null {
    return explained(this.options, () => {
      try {
        return work();
      } catch (error) {
        if (error instanceof DatabaseAway) return null;
        throw error;
      }
    });
  }

  close(): void {
    this.db.$client.close();
  }
}

/** @throws StartupError unless there is nothing in the database */
export function assertEmpty(db: Db, options: PostgresOptions): void {
  assertUsable(db, options);
  if (tablesIn(db).length > 0)
    throw new StartupError("it is not empty: a move needs a database without tables");
}

function assertCurrent(db: Db, options: PostgresOptions, migrations: string): void {
  const found = inspect(db, options, migrations);
  if (found === "empty") throw new StartupError("it is empty: muster serve makes the tables");
  if (found === "older")
    throw new StartupError("it is from an earlier version: muster serve brings it up to date");
}

/** Connects for a command, whose transactions may stand still for longer than those of a node. */
export function openServer(options: PostgresOptions): { db: Db; close(): void } {
  const db = openPostgres(startPostgresDriver(), options, COMMAND_LIMIT_MS);
  executeScript(db, "set idle_in_transaction_session_timeout = 0");
  return { db, close: () => db.$client.close() };
}

/** The server is not there now. A node waits for it. */
export class ServerAway extends StartupError {}

/**
 * Runs `work` and turns errors of the server into a StartupError of one line, without the password.
 * @throws ServerAway when waiting for the server may help
 */
export function explained<T>(options: PostgresOptions, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DatabaseAway && !error.isDenied)
      throw new ServerAway(`${describe(options)}: ${error.message}`);
    if (error instanceof DatabaseAway || error instanceof PostgresError || error instanceof StartupError)
      throw new StartupError(`${describe(options)}: ${error.message}`);
    throw error;
  }
}

function connected<T>(options: PostgresOptions, migrations: string, work: (db: Db) => T): T {
  return closing(openServer(options), ({ db }) => {
    assertCurrent(db, options, migrations);
    return work(db);
  });
}

/** Opens the database for a command, and closes it. @throws StartupError unless it is of this version */
export function withServer<T>(options: PostgresOptions, migrations: string, work: (db: Db) => T): T {
  return explained(options, () => connected(options, migrations, work));
}

/** Like `withServer`, while no node is active and none can become active. @throws StartupError when one is */
export function withServerAlone<T>(options: PostgresOptions, migrations: string, work: (db: Db) => T): T {
  return withServer(options, migrations, (lock) =>
    lock.$client
      .transaction(() => {
        assertNobodyActive(lock);
        return connected(options, migrations, work);
      })
      .immediate(),
  );
}
