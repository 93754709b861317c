/**
 * The messages between the threads that use PostgreSQL and the driver thread. Requests are messages to the driver
 * thread. A result comes back in shared memory, because its receiver is blocked.
 */
import type { PostgresOptions } from "./options.ts";

/** Indexes into the shared control words, 32 bits each. */
export const CONTROL = {
  /** Number of the last batch whose result is complete. */
  reply: 0,
  /** Length of the result, bytes. */
  length: 1,
  /** Number of the present connection, counted from 1; 0 while there is none. */
  connection: 2,
} as const;

/** Size of the control memory, words. */
export const CONTROL_WORDS = 4;
/** Initial size of the memory for results, and the most to which it grows, bytes. */
export const RESULT_MEMORY = { initial: 64 * 1024, most: 1024 * 1024 * 1024 };

export interface PostgresStatementCall {
  text: string;
  params: readonly unknown[];
  /** Name under which the server keeps the statement; null for one that is parsed at each use. */
  name: string | null;
}

export interface OpenRequest {
  kind: "open";
  session: number;
  options: PostgresOptions;
  control: SharedArrayBuffer;
  result: SharedArrayBuffer;
}

export interface BatchRequest {
  kind: "batch";
  session: number;
  /** Number of the batch, for `CONTROL.reply`. */
  batch: number;
  /** The connection to which these statements belong: a transaction does not survive its connection. */
  connection: number;
  statements: readonly PostgresStatementCall[];
}

/** reset: drop a connection that does not answer, and make another. close: end the session. */
interface EndRequest {
  kind: "reset" | "close";
  session: number;
}

export type DriverRequest = OpenRequest | BatchRequest | EndRequest;

/** The result of the last statement of a batch that has one. */
export interface PostgresRows {
  columns: string[];
  rows: unknown[][];
}

/** The error of the server, or of the driver, for a failed statement. */
export interface PostgresFailure {
  message: string;
  /** SQLSTATE; null when the connection was lost or could not be made. */
  code: string | null;
  /** The failed statement, without its parameters; null when no single one failed. */
  statement: string | null;
  /** Whether a server was reached and rejected the connection. */
  isDenied: boolean;
}

/** Why a session has no connection, or that it has one again; a message from the driver thread. */
export interface ConnectionReport {
  session: number;
  trouble: ConnectionTrouble | null;
}

export interface ConnectionTrouble {
  reason: string;
  /** Whether a server was reached and rejected the connection. */
  isDenied: boolean;
}

export type BatchResult = PostgresRows | { failure: PostgresFailure };
