/** Worker side: runs queries on its own read-only connection. */
import { ApiError } from "../http/errors.ts";
import { databaseError } from "../storage/database-error.ts";
import type { Db } from "../storage/open.ts";
import { stackOf } from "../text.ts";
import { giveWay } from "../workers/give-way.ts";
import type { QueryReply, QueryRequest } from "./protocol.ts";
import type { Queries, QueriesAt } from "./queries.ts";
import { MAX_REPLY_BYTES, prepare } from "./query-reply.ts";

declare const self: Worker;

/**
 * After a query with more bytes of arguments or reply, garbage collection is forced: otherwise the runtime would keep
 * the memory.
 */
const COLLECT_AFTER_BYTES = 4_000_000;

function bytesIn(args: readonly unknown[]): number {
  return args.reduce<number>((sum, arg) => sum + (arg instanceof Uint8Array ? arg.byteLength : 0), 0);
}

function failureOf(error: unknown): QueryReply {
  if (error instanceof ApiError) {
    const { status, code, message, headers } = error;
    return { kind: "refused", status, code, message, headers };
  }
  const reason = databaseError(error);
  if (reason !== null) return { kind: "unavailable", message: reason };
  return { kind: "failed", message: stackOf(error) };
}

/**
 * Runs the queries that the main thread sends until it ends this thread.
 * @param open opens the database for reading
 * @param pastOver makes the queries about a moment in the past
 * @param maxBytes longest reply
 */
export function serveQueries(
  open: () => Db,
  queriesOver: (db: Db) => Queries,
  pastOver?: (db: Db) => QueriesAt<Queries>,
  maxBytes = MAX_REPLY_BYTES,
): void {
  giveWay();
  const db = open();
  const queries = queriesOver(db);
  const queriesAt = pastOver?.(db);

  /** Runs a query in one transaction, so that it reads a consistent snapshot. */
  function run({ name, args, at }: QueryRequest): QueryReply {
    const answer = () => {
      const asked = at === undefined ? queries : queriesAt?.(at);
      const query = asked?.[name] as ((...values: readonly unknown[]) => object) | undefined;
      if (!query) throw new Error(`there is no query ${name}`);
      return query(...args);
    };
    try {
      const { body, headers } = prepare(db.$client.transaction(answer).deferred(), maxBytes);
      return { kind: "done", body, headers };
    } catch (error) {
      return failureOf(error);
    }
  }

  self.onmessage = ({ data }: MessageEvent<QueryRequest & { id: number }>) => {
    const { id, args } = data;
    const reply = run(data);
    const bytes = reply.kind === "done" ? reply.body.byteLength : 0;
    self.postMessage({ id, ...reply }, reply.kind === "done" ? [reply.body.buffer] : []);
    if (bytes + bytesIn(args) > COLLECT_AFTER_BYTES) Bun.gc(true);
  };
}
