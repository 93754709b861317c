/**
 * Synchronous access to PostgreSQL. A driver thread holds the connections. The calling thread sends it a batch of
 * statements and sleeps until the result is in shared memory. The wait is bounded: a server that does not answer in
 * time counts as away, and every further statement fails at once until the driver thread has a new connection.
 */
import { deserialize } from "bun:jsc";
import {
  type BatchResult,
  CONTROL,
  CONTROL_WORDS,
  type ConnectionReport,
  type ConnectionTrouble,
  type DriverRequest,
  type PostgresFailure,
  type PostgresRows,
  type PostgresStatementCall,
  RESULT_MEMORY,
} from "./driver-protocol.ts";
import type { PostgresOptions } from "./options.ts";
import { DatabaseAway, PostgresError } from "./postgres-error.ts";

/** Classes of SQLSTATE that end or deny a connection rather than a statement. */
const CONNECTION_CODES = /^(08|57P|28|3D)/;

/** Called after each failed attempt to make a new connection, and with null when there is one again. */
export type OnTrouble = (trouble: ConnectionTrouble | null) => void;

/** A session for one thread, which outlives its connections. When one is lost, so is its transaction. */
export class PostgresSession {
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  readonly #result = new SharedArrayBuffer(RESULT_MEMORY.initial, { maxByteLength: RESULT_MEMORY.most });
  #batch = 1;
  /** The connection that did not answer in time. */
  #abandoned = 0;
  #isClosed = false;
  #trouble: ConnectionTrouble | null = null;

  private constructor(
    private readonly driver: Worker,
    private readonly id: number,
    private readonly limitMs: number,
    private readonly onTrouble: OnTrouble,
  ) {}

  readonly #hear = ({ data }: MessageEvent<ConnectionReport>): void => {
    if (data.session !== this.id || this.#isClosed) return;
    this.#trouble = data.trouble;
    this.onTrouble(data.trouble);
  };

  /**
   * @param limitMs how long a batch may take, milliseconds
   * @param onTrouble see `OnTrouble`
   * @throws PostgresError, DatabaseAway
   */
  static open(
    driver: Worker,
    id: number,
    options: PostgresOptions,
    limitMs: number,
    onTrouble: OnTrouble = () => undefined,
  ): PostgresSession {
    const session = new PostgresSession(driver, id, limitMs, onTrouble);
    driver.addEventListener("message", session.#hear);
    session.#say({
      kind: "open",
      session: id,
      options,
      control: session.#control.buffer as SharedArrayBuffer,
      result: session.#result,
    });
    // Each host may take its full time, and the thread must start first.
    try {
      session.#receive(1, limitMs + (options.connectMs + 1000) * options.hosts.length);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  #away(): DatabaseAway {
    return new DatabaseAway(this.#trouble?.reason ?? "it does not answer");
  }

  /** The number of the present connection. @throws DatabaseAway when there is none */
  get connection(): number {
    if (this.#isClosed) throw new DatabaseAway("the connection was closed");
    const connection = Atomics.load(this.#control, CONTROL.connection);
    if (connection === 0 || connection === this.#abandoned) throw this.#away();
    return connection;
  }

  /**
   * Runs statements in order, each after the previous one succeeded.
   * @param connection to which they belong
   * @returns the rows of the last one
   * @throws PostgresError of the first statement that failed; DatabaseAway
   */
  run(statements: readonly PostgresStatementCall[], connection = this.connection): PostgresRows {
    if (connection !== this.connection) throw new DatabaseAway("the connection was lost");
    const batch = ++this.#batch;
    this.#say({ kind: "batch", session: this.id, batch, connection, statements });
    return this.#receive(batch, this.limitMs);
  }

  /**
   * Like `run`, without a time limit. This thread does other work until the result is there. The driver thread ends a
   * connection whose server can no longer be reached.
   */
  async runPatiently(
    statements: readonly PostgresStatementCall[],
    connection: number,
  ): Promise<PostgresRows> {
    if (connection !== this.connection) throw new DatabaseAway("the connection was lost");
    const batch = ++this.#batch;
    this.#say({ kind: "batch", session: this.id, batch, connection, statements });
    for (;;) {
      const lastReply = Atomics.load(this.#control, CONTROL.reply);
      if (lastReply === batch) break;
      await Atomics.waitAsync(this.#control, CONTROL.reply, lastReply).value;
    }
    return this.#lastResult();
  }

  /** Further statements fail at once, since the driver thread no longer answers. */
  close(): void {
    this.#isClosed = true;
    this.driver.removeEventListener("message", this.#hear);
    this.#say({ kind: "close", session: this.id });
  }

  #say(request: DriverRequest): void {
    this.driver.postMessage(request);
  }

  #receive(batch: number, limitMs: number): PostgresRows {
    const until = performance.now() + limitMs;
    for (;;) {
      const lastReply = Atomics.load(this.#control, CONTROL.reply);
      if (lastReply === batch) break;
      const remaining = until - performance.now();
      if (remaining <= 0) this.#abandon();
      Atomics.wait(this.#control, CONTROL.reply, lastReply, Math.max(1, remaining));
    }
    return this.#lastResult();
  }

  #lastResult(): PostgresRows {
    const length = Atomics.load(this.#control, CONTROL.length);
    const result = deserialize(new Uint8Array(this.#result, 0, length).slice().buffer) as BatchResult;
    if ("failure" in result) throw this.#errorOf(result.failure);
    return result;
  }

  #abandon(): never {
    this.#abandoned = Atomics.load(this.#control, CONTROL.connection);
    this.#say({ kind: "reset", session: this.id });
    throw new DatabaseAway("it does not answer");
  }

  #errorOf({ message, code, statement, isDenied }: PostgresFailure): Error {
    return code === null || CONNECTION_CODES.test(code)
      ? new DatabaseAway(message, code, isDenied)
      : new PostgresError(message, code, statement);
  }
}
