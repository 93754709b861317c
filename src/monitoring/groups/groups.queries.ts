import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { groupList, groupStatusList } from "./groups.service.ts";

/** Queries of host groups that run on a query worker. */
export function groupQueries(db: Db) {
  return {
    groupList: (scope: Scope) => groupList(db, scope),
    groupStatusList: (scope: Scope) => groupStatusList(db, scope),
  };
}

export type GroupQueries = AsyncQueries<ReturnType<typeof groupQueries>>;
