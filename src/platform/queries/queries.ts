import type { Csv } from "../http/csv.ts";
import { PreparedReply } from "../http/prepared.ts";
import { prepare } from "./query-reply.ts";

/** Queries by name: they only read, and take and give plain data, so that they can run on another thread. */
export type Queries = Record<string, (...args: never[]) => object>;

/** What a query gives: plain data, or a reply that is ready to be sent, as tables always are. */
type Result<F extends (...args: never[]) => object> = Exclude<ReturnType<F>, Csv> | PreparedReply;

/**
 * The same queries for whoever may have to wait for them.
 * @throws ApiError as the query does, 503 when too many wait or it takes too long
 */
export type AsyncQueries<Q extends Queries> = {
  readonly [K in keyof Q]: (...args: Parameters<Q[K]>) => Promise<Result<Q[K]>>;
};

/** Makes a function for each query of `queries` that runs it by its name. */
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

/** Runs each query at once, on the thread that asks for it. */
export function inlineQueries<Q extends Queries>(queries: Q): AsyncQueries<Q> {
  return queriesBy(queries, async (name, args) => {
    const result = queries[name]?.(...args) ?? {};
    return isTable(result) ? prepare(result) : result;
  });
}
