import { actorOf } from "../../accounts/audit/actor.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, write } from "../../platform/http/operation.ts";
import { tooManyTags } from "../hosts/host-tags.service.ts";
import { deleteReply } from "../hosts/hosts.schemas.ts";
import { deleteArguments, updateArguments, updateReply } from "./bulk.schemas.ts";
import { type Bulk, otherCount } from "./bulk.service.ts";

const noSelection = because(errors.badRequest, "Not exactly one of hostid and all was given");

/** Changes of many hosts at once. */
export function bulkOperations(bulk: Bulk): Operation[] {
  return [
    write("/admin/hosts/bulk/update", {
      access: "admin",
      summary: "Change tags, groups and settings of many hosts, in small steps",
      request: updateArguments,
      response: updateReply,
      errors: [noSelection, noSuch("host or group"), tooManyTags],
      audit: "itself",
      handle: async (args, c) => ({ hosts: await bulk.update(args, actorOf(c)) }),
    }),
    write("/admin/hosts/bulk/delete", {
      access: "admin",
      summary: "Delete many hosts, in small steps, if they are as many as expected",
      request: deleteArguments,
      response: deleteReply,
      errors: [noSelection, noSuch("host"), otherCount],
      audit: "itself",
      handle: async (args, c) => ({ deleted: await bulk.delete(args, actorOf(c)) }),
    }),
  ];
}
