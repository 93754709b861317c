import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allServiceGroups, allServiceMemberships } from "./service-groups.repository.ts";

/** Queries of the service groups of the agents' control files, for the query worker. */
export function serviceGroupQueries(db: Db) {
  return {
    serviceGroupList: () => {
      const members = Map.groupBy(allServiceMemberships(db), ({ groupId }) => groupId);
      const records = allServiceGroups(db).map((group) => ({
        ...group,
        services: (members.get(group.id) ?? []).map(({ serviceId }) => serviceId),
      }));
      return { totalRecords: records.length, records };
    },
  };
}

export type ServiceGroupQueries = AsyncQueries<ReturnType<typeof serviceGroupQueries>>;
