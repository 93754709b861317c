/** An app that keeps the states of moments, as query workers do: to compose one for each question takes longer than the answer. */
import { pastQueries } from "../../src/past-queries.ts";
import { inlineQueries, type QueriesAt } from "../../src/platform/queries/queries.ts";
import type { QueryList } from "../../src/queries.ts";
import type { TestApp, TestOptions } from "./app.ts";

/** @param make makes the app, with these options */
export async function withKeptMoments<T extends { app: TestApp }>(
  make: (options: Pick<TestOptions, "runQueries">) => T | Promise<T>,
): Promise<T> {
  let past: QueriesAt<QueryList> | undefined;
  const made = await make({
    runQueries: (queries, queriesAt) => inlineQueries(queries, (at) => (past ?? queriesAt)(at)),
  });
  const { db, settings, clock } = made.app;
  past = pastQueries(db, settings, clock, { keptSeconds: Number.POSITIVE_INFINITY });
  return made;
}
