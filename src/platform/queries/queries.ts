import type { Csv } from "../http/csv.ts";
import type { PreparedReply } from "../http/prepared.ts";
import type { Turn } from "../http/turn.ts";
import { prepare } from "./query-reply.ts";

/** Queries by name. They only read, and take and return plain data, so any thread can run them. */
export type Queries = Record<string, (...args: never[]) => object>;

/** The queries that answer for a moment in the past, unix seconds. @throws ApiError 400 if it is not known */
export type QueriesAt<Q extends Queries> = (at: number) => Q;

/** What a query returns; a table has no value to read. */
type Result<F extends (...args: never[]) => object> = Exclude<ReturnType<F>, Csv>;

/**
 * The same queries as asynchronous functions. The first argument is the caller that the query counts for: see `turnOf`.
 * @throws ApiError as the query does, 400 for a reply that is too long, or 503
 */
export type AsyncQueries<Q extends Queries> = {
  readonly [K in keyof Q]: (turn: Turn, ...args: Parameters<Q[K]>) => Promise<PreparedReply<Result<Q[K]>>>;
};

/** Creates an asynchronous function for each query, which runs it by name. */
export function queriesBy<Q extends Queries>(
  queries: Q,
  run: (turn: Turn, name: keyof Q & string, args: readonly never[]) => Promise<PreparedReply>,
): AsyncQueries<Q> {
  const entries = Object.keys(queries).map((name) => [
    name,
    (turn: Turn, ...args: never[]) => run(turn, name, args),
  ]);
  return Object.fromEntries(entries) as AsyncQueries<Q>;
}

/** Runs each query immediately on the calling thread: for tests, and for commands that serve nobody else. */
export function inlineQueries<Q extends Queries>(queries: Q, queriesAt?: QueriesAt<Q>): AsyncQueries<Q> {
  return queriesBy(queries, async (turn, name, args) => {
    const run = () => (typeof turn === "object" && queriesAt ? queriesAt(turn.at) : queries)[name]?.(...args);
    return prepare(run());
  });
}
