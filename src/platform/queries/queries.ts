import type { Csv } from "../http/csv.ts";
import { PreparedReply } from "../http/prepared.ts";
import { prepare } from "./query-reply.ts";

/** Queries by name. They only read, and take and return plain data, so any thread can run them. */
export type Queries = Record<string, (...args: never[]) => object>;

/** The result of a query: plain data, or a prepared reply. Tables are always prepared. */
type Result<F extends (...args: never[]) => object> = Exclude<ReturnType<F>, Csv> | PreparedReply;

/** The same queries as asynchronous functions. @throws ApiError as the query does, or 503 */
export type AsyncQueries<Q extends Queries> = {
  readonly [K in keyof Q]: (...args: Parameters<Q[K]>) => Promise<Result<Q[K]>>;
};

/** Creates an asynchronous function for each query, which runs it by name. */
export function queriesBy<Q extends Queries>(
  queries: Q,
  run: (name: keyof Q & string, args: readonly never[]) => Promise<object>,
): AsyncQueries<Q> {
  const entries = Object.keys(queries).map((name) => [name, (...args: never[]) => run(name, args)]);
  return Object.fromEntries(entries) as AsyncQueries<Q>;
}

function isTable(result: object): result is Csv {
  return !(result instanceof PreparedReply) && "rows" in result && "filename" in result;
}

/** Runs each query immediately on the calling thread. */
export function inlineQueries<Q extends Queries>(queries: Q): AsyncQueries<Q> {
  return queriesBy(queries, async (name, args) => {
    const result = queries[name]?.(...args) ?? {};
    return isTable(result) ? prepare(result) : result;
  });
}
