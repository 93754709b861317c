import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allServiceGroups, allServiceMemberships } from "./service-groups.repository.ts";

/** Queries of the service groups of the agents' control files, for a query worker. */
export function serviceGroupQueries(db: Db) {
  return {
    serviceGroupList: (scope: Scope) => {
      const members = Map.groupBy(allServiceMemberships(db, scope), ({ groupId }) => groupId);
      const records = allServiceGroups(db, scope).map((group) => ({
        ...group,
        services: (members.get(group.id) ?? []).map(({ serviceId }) => serviceId),
      }));
      return { totalRecords: records.length, records };
    },
  };
}

export type ServiceGroupQueries = AsyncQueries<ReturnType<typeof serviceGroupQueries>>;
