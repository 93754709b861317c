import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { agentFacts } from "./health.repository.ts";

/** What health checks read of every host, on a query worker. */
export function healthQueries(db: Db) {
  return {
    /** @param expectedBefore hosts that were expected before this time, unix seconds, are overdue; null: none are */
    agentFacts: (expectedBefore: number | null) => agentFacts(db, expectedBefore),
  };
}

export type HealthQueries = AsyncQueries<ReturnType<typeof healthQueries>>;
