import * as v from "valibot";
import { type Operation, read } from "../http/operation.ts";
import { nothing } from "../http/validate.ts";
import type { Reader } from "../reader/reader.ts";

const listReply = v.object({
  totalRecords: v.number(),
  records: v.array(
    v.object({ id: v.number(), name: v.string(), hostid: v.number(), services: v.array(v.number()) }),
  ),
});

/** The service groups of the agents' control files. */
export function serviceGroupOperations(reader: Reader): Operation[] {
  return [
    read("/status/servicegroups/list", {
      access: "session",
      summary: "Service groups with the ids of their services",
      takes: nothing,
      gives: listReply,
      handle: () => reader.ask("serviceGroupList"),
    }),
  ];
}
