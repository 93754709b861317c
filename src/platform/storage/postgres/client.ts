/**
 * A PostgreSQL session with the members of a SQLite connection that repositories and the query builder use.
 * Statements are synchronous. Within a transaction, statements without a reader are sent together with the next one
 * that has a reader, or with the commit.
 */
import { forPostgres } from "../words.ts";
import type { PostgresRows, PostgresStatementCall } from "./driver-protocol.ts";
import { DatabaseAway } from "./postgres-error.ts";
import type { PostgresSession } from "./session.ts";
import { encoded, objectsOf, PostgresStatement, type TranslatedStatement } from "./statement.ts";
import { StatementQueue } from "./statement-queue.ts";

/** The most translations that are remembered: each length of a list of ids makes another statement. */
const MAX_TRANSLATIONS = 5000;
/** The most statements that the server keeps parsed. */
const MAX_NAMED = 1000;
/** A statement is kept parsed from its nth use on. */
const USES_BEFORE_NAMED = 3;

const WRITES = /^\s*(insert|update|delete|with)\b/i;

type Begin = "begin" | "begin isolation level repeatable read read only";

interface OpenTransaction {
  connection: number;
  begin: Begin;
  hasBegun: boolean;
  depth: number;
  /** Why it can do nothing any more. */
  failure: unknown;
}

/** Runs one statement, with PostgreSQL's parameters, and waits for it without a time limit. */
export type PatientRun = (text: string, ...params: unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * A client for one thread. A statement without a reader may fail as late as at the next reader, or at the
 * commit.
 */
export class PostgresClient {
  readonly #statements = new Map<string, TranslatedStatement>();
  #named = 0;
  readonly #queue = new StatementQueue();
  #open: OpenTransaction | null = null;
  /** Sent at the beginning of each transaction that writes. */
  beforeWriting: PostgresStatementCall | null = null;

  constructor(private readonly session: PostgresSession) {}

  prepare(sql: string): PostgresStatement {
    return new PostgresStatement(this, this.#translated(sql));
  }

  query(sql: string): PostgresStatement {
    return this.prepare(sql);
  }

  run(sql: string, ...params: unknown[]): { changes: number; lastInsertRowid: number } {
    return this.prepare(sql).run(...params);
  }

  /** Runs a script of several statements, which PostgreSQL accepts only without parameters. */
  exec(sql: string): void {
    this.read({ text: sql, params: [], name: null });
  }

  close(): void {
    this.session.close();
  }

  /** The work in one transaction; within another one, in a savepoint. */
  transaction<T>(work: () => T) {
    const within = (begin: Begin) => (): T =>
      this.#open ? this.#savepoint(this.#open, work) : this.#transaction(begin, work);
    const writing = within("begin");
    const reading = within("begin isolation level repeatable read read only");
    return Object.assign(writing, { immediate: writing, deferred: reading });
  }

  /**
   * The work in one transaction whose statements may take any time. This thread does other work in between, but none
   * on this connection. `work` must check that it may write.
   */
  async patientTransaction<T>(work: (run: PatientRun) => Promise<T>): Promise<T> {
    const { connection } = this.session;
    const run: PatientRun = async (text, ...params) =>
      objectsOf(await this.session.runPatiently([{ text, params, name: null }], connection));
    await run("begin");
    try {
      const result = await work(run);
      await run("commit");
      return result;
    } catch (error) {
      // A transaction ends with its connection.
      if (!(error instanceof DatabaseAway)) await run("rollback");
      throw error;
    }
  }

  /** Runs a statement without a reader: at once outside a transaction, otherwise before the next reader. */
  enqueue(call: PostgresStatementCall): void {
    if (!this.#open) this.#single(call);
    else {
      this.#queue.add(call);
      if (this.#queue.isFull) this.#flush();
    }
  }

  /**
   * Makes a writer for a statement of PostgreSQL that takes a list of values for each of its parameters. The rows
   * before the next reader go in one call (see `StatementQueue.addRow`).
   */
  rowWriter(text: string): (values: readonly unknown[], about: number | null) => void {
    const statement = this.#store(text);
    return (values, about) => {
      const row = values.map(encoded);
      if (!this.#open) {
        this.#single({ text, params: row.map((value) => [value]), name: null });
        return;
      }
      this.#queue.addRow({ text, name: this.nameOf(statement) }, row, about);
      if (this.#queue.isFull) this.#flush();
    };
  }

  /** Makes a reader for a statement of PostgreSQL that takes a list of values for each of its parameters. */
  rowReader(text: string): (lists: readonly (readonly unknown[])[]) => Record<string, unknown>[] {
    const statement = this.#store(text);
    return (lists) =>
      objectsOf(
        this.read({ text, params: lists.map((list) => list.map(encoded)), name: this.nameOf(statement) }),
      );
  }

  /** Reserves ids for new rows of a table, in ascending order, that no other row gets. */
  newIds(table: string, count: number): number[] {
    const text = `select nextval(pg_get_serial_sequence('${table}', 'id')) as id from generate_series(1, $1)`;
    const { rows } = this.read({ text, params: [count], name: this.nameOf(this.#store(text)) });
    return rows.map(([id]) => id as number).sort((a, b) => a - b);
  }

  /** Runs a statement and returns its rows. In a transaction, the statements that wait are run before it. */
  read(call: PostgresStatementCall): PostgresRows {
    if (!this.#open) return this.#single(call);
    this.#queue.add(call);
    return this.#flush();
  }

  /** Counts a use of a statement. @returns the name under which the server keeps it; null if it does not keep it */
  nameOf(statement: TranslatedStatement): string | null {
    statement.uses++;
    if (statement.name === null && statement.uses >= USES_BEFORE_NAMED && this.#named < MAX_NAMED)
      statement.name = `muster_${++this.#named}`;
    return statement.name;
  }

  #translated(sql: string): TranslatedStatement {
    const statement = this.#statements.get(sql);
    if (statement) return statement;
    if (this.#statements.size >= MAX_TRANSLATIONS) this.#statements.clear();
    return this.#store(forPostgres(sql), sql);
  }

  /** @param sql as it is written for both engines */
  #store(text: string, sql = text): TranslatedStatement {
    const statement = this.#statements.get(sql) ?? { text, uses: 0, name: null };
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs a single statement that is not checked by `beforeWriting`. */
  unchecked(sql: string, ...params: unknown[]): Record<string, unknown>[] {
    return objectsOf(this.session.run([{ text: forPostgres(sql), params, name: null }]));
  }

  #single(call: PostgresStatementCall): PostgresRows {
    const guard = this.beforeWriting;
    if (!guard || !WRITES.test(call.text)) return this.session.run([call]);
    return this.session.run([command("begin"), guard, call, command("commit")]);
  }

  #flush(): PostgresRows {
    const open = this.#open;
    if (!open) throw new Error("there is no transaction");
    if (open.failure !== null) throw open.failure;
    const guard = open.begin === "begin" && this.beforeWriting ? [this.beforeWriting] : [];
    const first = open.hasBegun ? [] : [command(open.begin), ...guard];
    open.hasBegun = true;
    return this.session.run([...first, ...this.#queue.take()], open.connection);
  }

  #transaction<T>(begin: Begin, work: () => T): T {
    const open = { connection: this.session.connection, begin, hasBegun: false, depth: 0, failure: null };
    this.#open = open;
    try {
      const result = work();
      if (open.hasBegun || !this.#queue.isEmpty) this.read(command("commit"));
      return result;
    } catch (error) {
      this.#rollback(open);
      throw error;
    } finally {
      this.#open = null;
      this.#queue.take();
    }
  }

  #rollback(open: OpenTransaction): void {
    this.#queue.take();
    if (!open.hasBegun) return;
    open.failure = null;
    try {
      this.read(command("rollback"));
    } catch (error) {
      // A transaction ends with its connection.
      if (!(error instanceof DatabaseAway)) throw error;
    }
  }

  #savepoint<T>(open: OpenTransaction, work: () => T): T {
    // A failure of a queued statement must not be taken for one of this work.
    if (!this.#queue.isEmpty) this.#flush();
    const name = `level_${++open.depth}`;
    this.enqueue(command(`savepoint ${name}`));
    try {
      const result = work();
      this.read(command(`release savepoint ${name}`));
      return result;
    } catch (error) {
      const begin = this.#queue.take().filter(({ text }) => text === `savepoint ${name}`);
      for (const call of begin) this.#queue.add(call);
      try {
        this.read(command(`rollback to savepoint ${name}`));
      } catch {
        // The transaction failed before the savepoint, so every further statement in it fails with the same error.
        open.failure ??= error;
      }
      throw error;
    } finally {
      open.depth--;
    }
  }
}

function command(text: string): PostgresStatementCall {
  return { text, params: [], name: null };
}
