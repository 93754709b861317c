import * as v from "valibot";
import type { Db } from "../database/open.ts";
import { type Operation, read } from "../http/operation.ts";
import { nothing } from "../http/validate.ts";
import { allServiceGroups, allServiceMemberships } from "./service-groups.repository.ts";

const listReply = v.object({
  totalRecords: v.number(),
  records: v.array(
    v.object({ id: v.number(), name: v.string(), hostid: v.number(), services: v.array(v.number()) }),
  ),
});

/** The service groups of the agents' control files. */
export function serviceGroupOperations(db: Db): Operation[] {
  return [
    read("/status/servicegroups/list", {
      access: "session",
      summary: "Service groups with the ids of their services",
      takes: nothing,
      gives: listReply,
      handle: () => {
        const members = Map.groupBy(allServiceMemberships(db), (membership) => membership.groupId);
        const records = allServiceGroups(db).map((group) => ({
          ...group,
          services: (members.get(group.id) ?? []).map(({ serviceId }) => serviceId),
        }));
        return { totalRecords: records.length, records };
      },
    }),
  ];
}
