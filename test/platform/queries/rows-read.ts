/** Counts the rows that statements of bun:sqlite return, but not those of queries, which run on other threads. */
import { Database, type Statement } from "bun:sqlite";
import { type AsyncQueries, type Queries, queriesBy } from "../../../src/platform/queries/queries.ts";
import { prepare } from "../../../src/platform/queries/query-reply.ts";

type Read = (this: Statement, ...args: unknown[]) => unknown;

export class RowsRead {
  rows = 0;
  /** The statement that returned most rows, and how many. */
  most = { rows: 0, sql: "" };
  /** Every statement that ran. */
  readonly statements = new Set<string>();
  #isCounting = true;
  #prepare: Database["prepare"] | null = null;

  /** How an app runs queries whose rows do not count. */
  readonly runQueries = <Q extends Queries>(queries: Q): AsyncQueries<Q> =>
    queriesBy(queries, async (_turn, name, args) => {
      this.#isCounting = false;
      try {
        return prepare(queries[name]?.(...args));
      } finally {
        this.#isCounting = true;
      }
    });

  /** Watches the statements that are prepared from now on. */
  start(): void {
    const prepare = Database.prototype.prepare;
    this.#prepare = prepare;
    const watch = (sql: string, statement: Statement) => this.#watched(sql, statement);
    Reflect.set(Database.prototype, "prepare", function (this: Database, sql: string, ...rest: []) {
      return watch(sql, prepare.call(this, sql, ...rest));
    });
  }

  /** A statement assigns its methods when it is made, so each has to be watched. */
  #watched(sql: string, statement: Statement): Statement {
    for (const name of ["all", "values", "get", "run"]) {
      const read = Reflect.get(statement, name) as Read;
      Reflect.set(statement, name, (...args: unknown[]) => {
        const result = read.apply(statement, args);
        const rows = Array.isArray(result) && name !== "get" ? result.length : result == null ? 0 : 1;
        this.#count(sql, rows);
        return result;
      });
    }
    return statement;
  }

  /** Forgets what was counted. */
  reset(): void {
    this.rows = 0;
    this.most = { rows: 0, sql: "" };
    this.statements.clear();
  }

  stop(): void {
    if (this.#prepare) Reflect.set(Database.prototype, "prepare", this.#prepare);
  }

  #count(sql: string, rows: number): void {
    if (!this.#isCounting) return;
    this.rows += rows;
    if (rows > this.most.rows) this.most = { rows, sql };
    this.statements.add(sql);
  }
}
