import { actorOf } from "../../accounts/audit/actor.ts";
import { turnOf } from "../../platform/http/context.ts";
import { because, errors } from "../../platform/http/errors.ts";
import { type Operation, writeJson } from "../../platform/http/operation.ts";
import { deleteReply } from "../hosts/hosts.schemas.ts";
import { tooManyTags } from "../tags/tags.service.ts";
import { deleteArguments, updateArguments, updateReply } from "./bulk.schemas.ts";
import { type Bulk, otherCount } from "./bulk.service.ts";

const noSelection = because(errors.badRequest, "Exactly one of hosts and filter must be set");

/** Operations that change many hosts at once. */
export function bulkOperations(bulk: Bulk): Operation[] {
  return [
    writeJson("/admin/hosts/bulk/update", {
      access: "admin",
      summary: "Change tags, groups and settings of many hosts, in small steps",
      request: updateArguments,
      response: updateReply,
      errors: [noSelection, tooManyTags],
      audit: "itself",
      handle: async (args, c) => ({ hosts: await bulk.update(turnOf(c), args, actorOf(c)) }),
    }),
    writeJson("/admin/hosts/bulk/delete", {
      access: "admin",
      summary: "Delete many hosts, in small steps, if they are as many as expected",
      request: deleteArguments,
      response: deleteReply,
      errors: [noSelection, otherCount],
      audit: "itself",
      handle: async (args, c) => ({ deleted: await bulk.delete(turnOf(c), args, actorOf(c)) }),
    }),
  ];
}
