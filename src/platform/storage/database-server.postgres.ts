/** A database of Muster on a PostgreSQL server: how it is recognised, opened and upgraded. */
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { assertSharedKey, openSharedSecretBox } from "../secrets/key-file.ts";
import { StartupError } from "../startup-error.ts";
import { reasonOf } from "../text.ts";
import { closing } from "./closing.ts";
import type { DataFolder, OpenFolder } from "./folder.ts";
import { assertNobodyActive, endExpiredLease, Lease, lastHolder } from "./lease.postgres.ts";
import type { ClusterNode, Nodes } from "./nodes.postgres.ts";
import type { Db } from "./open.ts";
import { executeScript, migratePatiently, openPostgres, startPostgresDriver } from "./open-postgres.ts";
import { isFull } from "./postgres/away.ts";
import { describe } from "./postgres/database-url.ts";
import type { PostgresOptions } from "./postgres/options.ts";
import { DatabaseAway, PostgresError } from "./postgres/postgres-error.ts";
import type { OnTrouble } from "./postgres/session.ts";
import { refusalOf, type SchemaVersion, versionOf } from "./schema-version.ts";

/** How long a statement of a command may take before the server counts as away, milliseconds. */
const COMMAND_LIMIT_MS = 600_000;

/** Oldest version of PostgreSQL, as the server numbers it. */
const OLDEST = 140_000;

type SchemaState = "empty" | "older" | "current";

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

function serverVersion(db: Db, folder: string): SchemaVersion {
  const applied = db.$client
    .query<{ hash: string; at: number }>("select hash, created_at as at from muster_migrations")
    .all();
  const hashes = new Map(
    readMigrationFiles({ migrationsFolder: folder }).map(({ folderMillis, hash }) => [folderMillis, hash]),
  );
  // Migrations changed until the first release.
  const isChanged = applied.some(({ hash, at }) => (hashes.get(at) ?? hash) !== hash);
  return isChanged
    ? "unreleased"
    : versionOf(
        applied.map(({ at }) => at),
        folder,
      );
}

/** The content of the database. @throws StartupError when Muster cannot use it */
function inspect(db: Db, options: PostgresOptions, migrations: string): SchemaState {
  assertUsable(db, options);
  const tables = tablesIn(db);
  if (tables.length === 0) return "empty";
  if (!tables.includes("muster_migrations"))
    throw new StartupError("it contains something other than Muster");
  const version = serverVersion(db, join(migrations, "postgres"));
  const refusal = refusalOf(version, "an empty database");
  if (refusal !== null) throw new StartupError(`it ${refusal}`);
  return version === "current" ? "current" : "older";
}

/** How long a standby waits for a lock, for example that of a migration, before it continues as before. */
const STANDBY_LOCK_WAIT = "2s";
/** SQLSTATE of a statement that did not get a lock in this time. */
const LOCK_NOT_AVAILABLE = "55P03";

export type OnStatement = (nth: number, count: number) => void;

export interface ServerConnection {
  driver: Worker;
  /** How long a statement may take before the server counts as away, milliseconds. */
  limitMs: number;
  onTrouble: OnTrouble;
}

/** A database on a server, opened by one node of those that use it. */
export class DatabaseServer {
  private constructor(
    readonly db: Db,
    private readonly options: PostgresOptions,
    private readonly folder: DataFolder,
    /** Whether its tables must be created first. */
    readonly isEmpty: boolean,
  ) {}

  /** Connects. @throws ServerAway; StartupError when Muster cannot use the database */
  static open(
    options: PostgresOptions,
    folder: DataFolder,
    { driver, limitMs, onTrouble }: ServerConnection,
  ): DatabaseServer {
    return explained(options, () => {
      const db = openPostgres(driver, { ...options, looksUp: true }, limitMs, onTrouble);
      try {
        const isEmpty = inspect(db, options, folder.migrations) === "empty";
        return new DatabaseServer(db, options, folder, isEmpty);
      } catch (error) {
        db.$client.close();
        throw error;
      }
    });
  }

  /** Creates the tables in an empty database. @throws ServerAway, StartupError */
  async create(): Promise<void> {
    const options = { lease: null, onStatement: () => undefined };
    await this.#explained(() => migratePatiently(this.db, this.folder.migrations, options));
  }

  /**
   * Makes this node the active one. Null if another node is active.
   * @throws ServerAway; StartupError when this node can never be active: the database is of a newer version, or has
   * another key
   */
  takeLease(node: string): Lease | null {
    return explained(this.options, () => {
      if (!this.#fits()) return null;
      const lease = Lease.take(this.db, node);
      if (!lease) return null;
      try {
        // Another node may have been active in between.
        this.#fits();
        return lease;
      } catch (error) {
        lease.release();
        throw error;
      }
    });
  }

  /** Whether the tables have yet to be upgraded to this version. @throws ServerAway, StartupError */
  isOlder(): boolean {
    const { db, options, folder } = this;
    return explained(options, () => inspect(db, options, folder.migrations) !== "current");
  }

  /**
   * Brings the schema up to this version, and opens the database with the key of the data folder.
   * @param onStatement called before each statement of a migration
   * @throws ServerAway when the lease or the server was lost; StartupError
   */
  async open(lease: Lease, onStatement: OnStatement): Promise<OpenFolder> {
    const { db, folder } = this;
    return this.#explained(async () => {
      if (this.isOlder()) await migratePatiently(db, folder.migrations, { lease, onStatement });
      return { db, box: openSharedSecretBox(folder.key, db.$client, true) };
    });
  }

  /**
   * Stores that this standby runs.
   * @returns all nodes
   * @throws ServerAway; StartupError when another node has the same name
   */
  standBy(nodes: Nodes): ClusterNode[] {
    return explained(this.options, () => {
      nodes.standsBy();
      return nodes.list();
    });
  }

  /**
   * Whether the tables can be read; a migration may have locked them.
   * @throws StartupError when this node cannot serve the database: it is of a newer version, or has another key
   */
  #fits(): boolean {
    const { db, options, folder } = this;
    const look = () => {
      executeScript(db, `set local lock_timeout = '${STANDBY_LOCK_WAIT}'`);
      inspect(db, options, folder.migrations);
      assertSharedKey(folder.key, db.$client);
    };
    try {
      db.$client.transaction(look).deferred();
      return true;
    } catch (error) {
      if (error instanceof PostgresError && error.code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    }
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      return explained(this.options, () => {
        throw error;
      });
    }
  }

  /** The name of the node that took the lease last. @throws ServerAway, StartupError */
  lastHolder(): string {
    return explained(this.options, () => lastHolder(this.db));
  }

  /**
   * Runs statements with which a node that ends spares the others a wait. If the server is away or refuses them, the
   * others learn of the end later.
   */
  whenEnding(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof DatabaseAway || error instanceof PostgresError)) throw error;
    }
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
  const condition = inspect(db, options, migrations);
  if (condition === "empty")
    throw new StartupError("it is empty: run muster serve first, which creates the tables");
  if (condition === "older")
    throw new StartupError("it is from an earlier version: run muster serve first, which upgrades it");
}

/** Connects for a command. Its transactions may stand still for longer than those of a node. */
export function openServer(options: PostgresOptions): { db: Db; close(): void } {
  const db = openPostgres(startPostgresDriver(), { ...options, mayPause: true }, COMMAND_LIMIT_MS);
  return { db, close: () => db.$client.close() };
}

/** The server is away. A node waits for it. */
export class ServerAway extends StartupError {}

/** The server is there, but it lacks connections, memory or disk space. */
export class ServerFull extends ServerAway {}

/**
 * Runs `work` and turns errors of the server into a StartupError of one line, without the password.
 * @throws ServerAway when waiting for the server may help
 */
export function explained<T>(options: PostgresOptions, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isFull(error)) throw new ServerFull(`${describe(options)}: ${reasonOf(error)}`);
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
  return withServer(options, migrations, (lock) => {
    endExpiredLease(lock);
    return lock.$client
      .transaction(() => {
        assertNobodyActive(lock);
        return connected(options, migrations, work);
      })
      .immediate();
  });
}
