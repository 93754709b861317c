import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { groupList } from "./groups.service.ts";

/** Long reads of host groups. */
export function groupQueries(db: Db) {
  return { groupList: () => groupList(db) };
}

export type GroupQueries = AsyncQueries<ReturnType<typeof groupQueries>>;
