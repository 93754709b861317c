/** Opens and migrates a database on a PostgreSQL server. */
import { join } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { postgresDriverUrl } from "../assets.ts";
import { type Db, transaction } from "./open.ts";
import { PostgresClient } from "./postgres/client.ts";
import { translator } from "./postgres/dialect.ts";
import type { PostgresOptions } from "./postgres/options.ts";
import { PostgresSession } from "./postgres/session.ts";
import { FLAG_COLUMNS } from "./postgres-schema.ts";
import * as schema from "./schema.ts";

const translate = translator(FLAG_COLUMNS);

/** Starts the thread that holds the connections of this process. */
export function startPostgresDriver(): Worker {
  return new Worker(postgresDriverUrl(), { ref: false });
}

let sessions = 0;

/** @param limitMs how long a statement may take before the server counts as away, milliseconds */
export function openPostgres(driver: Worker, options: PostgresOptions, limitMs: number): Db {
  const session = PostgresSession.open(driver, ++sessions, options, limitMs);
  return postgresDatabase(new PostgresClient(session, translate));
}

/** The database behind a connection. */
export function postgresDatabase(client: PostgresClient): Db {
  const db = drizzle(client as never, { schema, casing: "snake_case" });
  return Object.assign(db, { engine: { kind: "postgres", client } as const }) as unknown as Db;
}

/** Runs statements that have no parameters, separated by semicolons. */
export function executeScript(db: Db, script: string): void {
  (db.$client as unknown as PostgresClient).exec(script);
}

/** Brings the schema up to this version's. @param folder drizzle/ */
export function migratePostgres(db: Db, folder: string): void {
  executeScript(
    db,
    "create table if not exists muster_migrations (hash text primary key, created_at bigint not null)",
  );
  transaction(db, () => {
    // Several nodes may start at the same time.
    executeScript(db, "lock table muster_migrations in exclusive mode");
    const applied = db.$client.query<{ hash: string }>("select hash from muster_migrations").all();
    const known = new Set(applied.map(({ hash }) => hash));
    for (const { sql, hash, folderMillis } of readMigrationFiles({
      migrationsFolder: join(folder, "postgres"),
    })) {
      if (known.has(hash)) continue;
      executeScript(db, sql.join(";"));
      db.$client.run("insert into muster_migrations (hash, created_at) values (?, ?)", [hash, folderMillis]);
    }
  });
}
