/** Worker side: runs queries on its own read-only connection. */
import { setPriority } from "node:os";
import { ApiError } from "../http/errors.ts";
import { databaseError } from "../storage/database-error.ts";
import type { Db } from "../storage/open.ts";
import type { QueryReply, QueryRequest } from "./protocol.ts";
import type { Queries } from "./queries.ts";
import { prepare } from "./query-reply.ts";

declare const self: Worker;

/** Agents' messages take precedence over queries. On Linux this affects the present thread only. */
const NICENESS = 10;

function failureOf(error: unknown): QueryReply {
  if (error instanceof ApiError) {
    const { status, code, message } = error;
    return { kind: "refused", status, code, message };
  }
  const reason = databaseError(error);
  if (reason !== null) return { kind: "unavailable", message: reason };
  return { kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Runs the queries that the main thread sends until it ends this one. @param open opens the database for reading */
export function serveQueries(open: () => Db, queriesOver: (db: Db) => Queries): void {
  if (process.platform === "linux") setPriority(NICENESS);
  const db = open();
  const queries = queriesOver(db);

  /** Runs a query in one transaction, so that it reads a consistent snapshot. */
  function run(name: string, args: readonly unknown[]): QueryReply {
    try {
      const query = queries[name] as ((...given: readonly unknown[]) => object) | undefined;
      if (!query) throw new Error(`there is no query ${name}`);
      const { body, headers } = prepare(db.$client.transaction(() => query(...args)).deferred());
      return { kind: "done", body, headers };
    } catch (error) {
      return failureOf(error);
    }
  }

  self.onmessage = ({ data }: MessageEvent<QueryRequest & { id: number }>) => {
    const { id, name, args } = data;
    const reply = run(name, args);
    self.postMessage({ id, ...reply }, reply.kind === "done" ? [reply.body.buffer] : []);
  };
}
