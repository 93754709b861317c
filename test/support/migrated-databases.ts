/** Databases with the tables of Muster on a PostgreSQL server of tests. */
import { migrationsFolder } from "../../src/platform/assets.ts";
import type { Db } from "../../src/platform/storage/open.ts";
import { migratePostgres, openPostgres } from "../../src/platform/storage/open-postgres.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** No machine is that slow. */
export const LIMIT_MS = 120_000;
const TEMPLATE = "migrated";

/** Copies one database that it migrated: to copy costs a fraction of migrating. */
export class MigratedDatabases {
  /** What makes a database a copy of the template; null while there is none. */
  #copying: string | null = null;

  /** @param prepare adds to the database what all copies have */
  constructor(
    private readonly server: PostgresServer,
    private readonly driver: Worker,
    private readonly prepare: (db: Db) => void = () => undefined,
  ) {}

  /** @param limitMs how long a statement may take */
  create(name: string, limitMs = LIMIT_MS): Db {
    this.#copying ??= this.#makeTemplate();
    this.server.query(`create database ${name} ${this.#copying}`);
    return this.#open(name, limitMs);
  }

  /** @returns how a database is made from it */
  #makeTemplate(): string {
    this.server.query(`create database ${TEMPLATE}`);
    const db = this.#open(TEMPLATE, LIMIT_MS);
    migratePostgres(db, migrationsFolder());
    this.prepare(db);
    db.$client.close();
    // A database that has sessions cannot be copied.
    const end = `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = '${TEMPLATE}'`;
    while (this.server.query(end) !== "0") Bun.sleepSync(10);
    // From version 15 on, a copy is written to the log page by page unless told otherwise, which costs twice as much.
    const copiesFiles = Number(this.server.query("show server_version_num")) < 150_000;
    return `template ${TEMPLATE}${copiesFiles ? "" : " strategy file_copy"}`;
  }

  #open(name: string, limitMs: number): Db {
    return openPostgres(this.driver, this.server.options(name), limitMs);
  }
}
