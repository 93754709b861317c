import type { Db } from "../database/open.ts";
import type { AsyncQueries } from "../reader/queries.ts";
import { groupList } from "./groups.service.ts";

/** Long reads of host groups. */
export function groupQueries(db: Db) {
  return { groupList: () => groupList(db) };
}

export type GroupQueries = AsyncQueries<ReturnType<typeof groupQueries>>;
