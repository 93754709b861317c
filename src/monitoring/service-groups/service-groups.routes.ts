import * as v from "valibot";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { described } from "../../platform/http/validate.ts";
import type { ServiceGroupQueries } from "./service-groups.queries.ts";

export const listReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        id: described(v.number(), "id of the service group"),
        name: described(v.string(), "name of the service group"),
        hostid: described(v.number(), "id of the host whose agent defines it"),
        services: described(v.array(v.number()), "ids of its services"),
      }),
    ),
    "service groups",
  ),
});

/** The service groups of the agents' control files. */
export function serviceGroupOperations(queries: ServiceGroupQueries): Operation[] {
  return [
    read("/status/servicegroups/list", {
      access: "session",
      past: true,
      summary: "Service groups with the ids of their services",
      response: listReply,
      handle: (_args, c) => queries.serviceGroupList(turnOf(c), scopeOf(c)),
    }),
  ];
}
