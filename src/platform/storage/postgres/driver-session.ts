/** Driver side of a session: makes its connection, makes another when it is lost, and runs batches on it. */
import { serialize } from "bun:jsc";
import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { codeOf, reasonOf } from "../../text.ts";
import { isAway, isFull } from "./away.ts";
import { connect, drop, hasEnded } from "./connect.ts";
import {
  type BatchRequest,
  type BatchResult,
  CONTROL,
  type ConnectionTrouble,
  type OpenRequest,
  type PostgresFailure,
  type PostgresStatementCall,
} from "./driver-protocol.ts";
import type { PostgresOptions } from "./options.ts";

/** Pause between two attempts to connect, milliseconds. */
const RETRY_MS = 500;

/** A batch that takes this long, milliseconds, is slow or has lost its server: another connection finds out which. */
const PROBE_MS = 1000;

/** The server's warning that a commit is less safe than requested. */
class CommitWarning extends Error {
  readonly code = "58000";
}

function failureOf(error: unknown): PostgresFailure {
  const code = codeOf(error);
  // Codes without a digit, such as EPIPE, are those of the operating system.
  const state = /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : null;
  return { message: reasonOf(error), code: state, statement: null, isDenied: !isAway(error) };
}

const LOST: PostgresFailure = {
  message: "the connection was lost",
  code: null,
  statement: null,
  isDenied: false,
};

/** A session on the driver thread, which replies to the thread of the session through shared memory. */
export class DriverSession {
  readonly #control: Int32Array;
  #client: Client | null = null;
  #connection = 0;
  #isClosed = false;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #warning: string | null = null;

  readonly #options: PostgresOptions;

  /**
   * @param report says why there is no connection, after each failed attempt to make one, and when there is one again
   */
  constructor(
    private readonly request: OpenRequest,
    private readonly report: (trouble: ConnectionTrouble | null) => void,
  ) {
    this.#control = new Int32Array(request.control);
    const { options } = request;
    // Distinguishes this session and its earlier connections from all others.
    const applicationName = `${options.applicationName} ${randomBytes(8).toString("hex")}`;
    this.#options = { ...options, applicationName, endsEarlier: true };
  }

  /** Makes the first connection, and replies whether that worked as to a batch with the number 1. */
  async open(): Promise<void> {
    try {
      await this.#connect();
      this.#reply(1, { columns: [], rows: [] });
    } catch (error) {
      this.#isClosed = true;
      this.#reply(1, { failure: failureOf(error) });
    }
  }

  /** Runs a batch and replies to it. It fails if the connection for which it was made has been replaced since. */
  async run({ batch, connection, statements }: BatchRequest): Promise<void> {
    const client = this.#client;
    if (!client || connection !== this.#connection) {
      this.#reply(batch, { failure: LOST });
      return;
    }
    const stop = this.#watch();
    const result = await this.#runOn(client, statements);
    stop();
    if (connection === this.#connection || "failure" in result) this.#reply(batch, result);
    else this.#reply(batch, { failure: LOST });
  }

  /**
   * Drops the connection if the server can no longer be reached during a batch.
   * @returns a function that ends the watch
   */
  #watch(): () => void {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const probe = async () => {
      const isLost = await connect(this.request.options).then(
        (client) => void client.end(),
        (error) => isAway(error) && !isFull(error),
      );
      if (isOver) return;
      if (isLost) this.reset();
      else timer = setTimeout(probe, PROBE_MS);
    };
    timer = setTimeout(probe, PROBE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  async #runOn(client: Client, statements: readonly PostgresStatementCall[]): Promise<BatchResult> {
    this.#warning = null;
    const results = await Promise.allSettled(
      statements.map(({ text, params, name }) =>
        client.query({ text, values: [...params], rowMode: "array", ...(name !== null && { name }) }),
      ),
    );
    // Statements after the first failure only say that the transaction has failed.
    const index = results.findIndex((result) => result.status === "rejected");
    const failed = results[index];
    if (failed?.status === "rejected")
      return { failure: { ...failureOf(failed.reason), statement: statements[index]?.text ?? null } };
    const last = results.at(-1);
    if (last?.status !== "fulfilled") return { columns: [], rows: [] };
    if (statements.at(-1)?.text === "commit" && (last.value.command !== "COMMIT" || this.#warning !== null))
      return { failure: failureOf(new CommitWarning(this.#warning ?? "the transaction was rolled back")) };
    // A script of several statements has a list of results, which no one reads.
    const read = results.findLast(
      (result) => result.status === "fulfilled" && result.value.fields?.length > 0,
    );
    if (read?.status !== "fulfilled") return { columns: [], rows: [] };
    return { columns: read.value.fields.map(({ name }) => name), rows: read.value.rows };
  }

  /** Drops the connection, even if it is in use, and makes another. */
  reset(): void {
    const client = this.#client;
    this.#lost(client);
    if (client) drop(client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry) clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = await connect(this.#options);
    if (this.#isClosed) {
      await client.end();
      return;
    }
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notice", ({ severity, message }) => {
      if (severity === "WARNING") this.#warning = message ?? "";
    });
    // It may have ended while other hosts had their time to answer.
    if (hasEnded(client)) throw new Error("connection terminated");
    this.#client = client;
    this.#connection++;
    Atomics.store(this.#control, CONTROL.connection, this.#connection);
  }

  #lost(client: Client | null): void {
    if (client === null || this.#client !== client || this.#isClosed) return;
    this.#client = null;
    Atomics.store(this.#control, CONTROL.connection, 0);
    this.#reconnectSoon();
  }

  #reconnectSoon(): void {
    this.#retry = setTimeout(() => {
      this.#connect().then(
        () => this.report(null),
        (error) => {
          const { message, isDenied } = failureOf(error);
          this.report({ reason: message, isDenied });
          this.#reconnectSoon();
        },
      );
    }, RETRY_MS);
  }

  #reply(batch: number, result: BatchResult): void {
    const bytes = new Uint8Array(serialize(result));
    const { result: memory } = this.request;
    if (bytes.length > memory.byteLength) memory.grow(bytes.length);
    new Uint8Array(memory).set(bytes);
    Atomics.store(this.#control, CONTROL.length, bytes.length);
    Atomics.store(this.#control, CONTROL.reply, batch);
    Atomics.notify(this.#control, CONTROL.reply);
  }
}
