/** Worker side: runs queries on its own read-only connection. */
import { setPriority } from "node:os";
import { ApiError } from "../http/errors.ts";
import { databaseError } from "../storage/database-error.ts";
import { closeReadOnly, type Db, openReadOnly } from "../storage/open.ts";
import {
  CLOSE,
  CLOSED,
  type FromWorker,
  type QueryFailure,
  type QueryRequest,
  type ToWorker,
} from "./protocol.ts";
import type { Queries } from "./queries.ts";
import { prepare } from "./query-reply.ts";

declare const self: Worker;

/**
 * Agents' messages take precedence when there are fewer processors than threads. On Linux the value applies
 * to this thread only.
 */
const NICENESS = 10;

function failureOf(id: number, error: unknown): QueryFailure {
  if (error instanceof ApiError) {
    const { status, code, message } = error;
    return { id, kind: "refused", status, code, message };
  }
  const reason = databaseError(error);
  if (reason !== null) return { id, kind: "unavailable", message: reason };
  return {
    id,
    kind: "failed",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** Runs the queries sent by the main thread until it sends CLOSE. @param database path of the file */
export function serveQueries(database: string, queriesOver: (db: Db) => Queries): void {
  if (process.platform === "linux") setPriority(NICENESS);
  const db = openReadOnly(database);
  const queries = queriesOver(db);
  const say = (message: FromWorker, transfer: ArrayBuffer[] = []) => self.postMessage(message, transfer);

  /** Runs a query in one transaction, so that it reads a consistent snapshot. */
  function run({ id, name, args }: QueryRequest): void {
    try {
      const query = queries[name] as ((...given: readonly unknown[]) => object) | undefined;
      if (!query) throw new Error(`there is no query ${name}`);
      const { body, headers } = prepare(db.$client.transaction(() => query(...args)).deferred());
      say({ id, body, headers }, [body.buffer]);
    } catch (error) {
      say(failureOf(id, error));
    }
  }

  self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data === CLOSE) {
      closeReadOnly(db);
      say(CLOSED);
    } else if (Date.now() < data.until) run(data);
  };
}
