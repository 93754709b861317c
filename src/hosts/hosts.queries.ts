import type { Db } from "../database/open.ts";
import type { AsyncQueries } from "../reader/queries.ts";
import { hostList } from "./hosts.service.ts";

/** Long reads of hosts. */
export function hostQueries(db: Db) {
  return { hostList: () => hostList(db) };
}

export type HostQueries = AsyncQueries<ReturnType<typeof hostQueries>>;
