/**
 * A PostgreSQL session with the members of a SQLite connection that repositories and the query builder use.
 * Statements are synchronous. Within a transaction, those whose result nobody reads are sent together with
 * the next one that has a reader, or with the commit.
 */
import type { Translated } from "./dialect.ts";
import { DatabaseAway } from "./postgres-error.ts";
import type { PostgresRows, PostgresStatementCall } from "./protocol.ts";
import type { PostgresSession } from "./session.ts";
import { encoded, type KnownStatement, objectsOf, PostgresStatement } from "./statement.ts";
import { StatementQueue } from "./statement-queue.ts";

/** Most translations remembered; a list of ids makes a statement of its own for each length. */
const MAX_TRANSLATIONS = 5000;
/** Most statements that the server keeps parsed. */
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
  /** Why nothing can be done in it any more. */
  failure: unknown;
}

/** Runs one statement, with parameters in the way of PostgreSQL, and waits for it without a limit of time. */
export type PatientRun = (text: string, ...params: unknown[]) => Promise<Record<string, unknown>[]>;

export class PostgresClient {
  readonly #known = new Map<string, KnownStatement>();
  #named = 0;
  readonly #queue = new StatementQueue();
  #open: OpenTransaction | null = null;
  /** Sent at the beginning of each transaction that writes. */
  beforeWriting: PostgresStatementCall | null = null;

  constructor(
    private readonly session: PostgresSession,
    private readonly translate: (sql: string) => Translated,
  ) {}

  get inTransaction(): boolean {
    return this.#open !== null;
  }

  prepare(sql: string): PostgresStatement {
    return new PostgresStatement(this, this.#knownOf(sql));
  }

  query(sql: string): PostgresStatement {
    return this.prepare(sql);
  }

  run(sql: string, ...params: unknown[]): { changes: number; lastInsertRowid: number } {
    return this.prepare(sql).run(...params);
  }

  /** Runs a script of several statements, which PostgreSQL takes only without parameters. */
  exec(sql: string): void {
    this.read({ text: sql, params: [], name: null });
  }

  close(): void {
    this.session.close();
  }

  /** The work in one transaction; within another one, in a savepoint. */
  transaction<A extends unknown[], T>(work: (...args: A) => T) {
    const within =
      (begin: Begin) =>
      (...args: A): T =>
        this.#open
          ? this.#savepoint(this.#open, () => work(...args))
          : this.#transaction(begin, () => work(...args));
    const writing = within("begin");
    const reading = within("begin isolation level repeatable read read only");
    return Object.assign(writing, { immediate: writing, exclusive: writing, deferred: reading });
  }

  /**
   * The work in one transaction whose statements may take any time. This thread does other work meanwhile, none of it on
   * this connection. The guard of transactions that write is up to `work`.
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

  /** Runs a statement that has no reader: at once outside a transaction, otherwise before the next reader. */
  enqueue(call: PostgresStatementCall): void {
    if (!this.#open) this.#single(call);
    else {
      this.#queue.add(call);
      if (this.#queue.isFull) this.#flush();
    }
  }

  /**
   * Makes a writer for a statement that takes a list of values for each column. Rows that come before the next reader
   * go in one call, with the first of them.
   * @param after the statements whose rows have to be there first
   */
  rowWriter(sql: string, after: readonly string[]): (row: readonly unknown[]) => void {
    const known = this.#knownOf(sql);
    const earlier = after.map((each) => this.#knownOf(each).text);
    return (row) => {
      const values = row.map(encoded);
      if (!this.#open) {
        this.#single({ text: known.text, params: values.map((value) => [value]), name: null });
        return;
      }
      this.#queue.addRow({ text: known.text, name: this.nameOf(known), after: earlier }, values);
      if (this.#queue.isFull) this.#flush();
    };
  }

  /** Keeps rows that are written from here on behind everything that was written before. */
  sealRows(): void {
    this.#queue.seal();
  }

  read(call: PostgresStatementCall): PostgresRows {
    if (!this.#open) return this.#single(call);
    this.#queue.add(call);
    return this.#flush();
  }

  nameOf(known: KnownStatement): string | null {
    known.uses++;
    if (known.name === null && known.uses >= USES_BEFORE_NAMED && this.#named < MAX_NAMED)
      known.name = `muster_${++this.#named}`;
    return known.name;
  }

  #knownOf(sql: string): KnownStatement {
    const known = this.#known.get(sql);
    if (known) return known;
    if (this.#known.size >= MAX_TRANSLATIONS) this.#known.clear();
    const added = { ...this.translate(sql), uses: 0, name: null };
    this.#known.set(sql, added);
    return added;
  }

  /** Runs a statement of its own that is not checked by `beforeWriting`. */
  unchecked(sql: string, ...params: unknown[]): Record<string, unknown>[] {
    const { text } = this.translate(sql);
    return objectsOf(this.session.run([{ text, params, name: null }]));
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
    // A failure of what is queued must not be taken for one of this work.
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
        // The transaction failed before the savepoint: that is the trouble, and what still comes in it has the same.
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
