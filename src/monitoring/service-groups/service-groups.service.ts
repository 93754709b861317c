import type { Db } from "../../platform/storage/open.ts";
import { allServiceGroups, allServiceMemberships } from "./service-groups.repository.ts";

/** The service groups of the agents' control files with their members. */
export function serviceGroupList(db: Db) {
  const members = Map.groupBy(allServiceMemberships(db), (membership) => membership.groupId);
  const records = allServiceGroups(db).map((group) => ({
    ...group,
    services: (members.get(group.id) ?? []).map(({ serviceId }) => serviceId),
  }));
  return { totalRecords: records.length, records };
}
