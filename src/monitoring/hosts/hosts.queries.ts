import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostList } from "./hosts.service.ts";

/** Queries of hosts that run on a query worker. */
export function hostQueries(db: Db) {
  return { hostList: () => hostList(db) };
}

export type HostQueries = AsyncQueries<ReturnType<typeof hostQueries>>;
