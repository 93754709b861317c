import { actorOf } from "../../accounts/audit/actor.ts";
import { turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, writeJson } from "../../platform/http/operation.ts";
import {
  deletedHosts,
  deleteForGoodReply,
  listArguments,
  listReply,
  restoreReply,
} from "./deleted-hosts.schemas.ts";
import { agentReports, type DeletedHosts } from "./deleted-hosts.service.ts";
import type { HostQueries } from "./hosts.queries.ts";

/** Hosts whose deletion can be undone. */
export function deletedHostOperations(deleted: DeletedHosts, queries: HostQueries): Operation[] {
  return [
    read("/admin/hosts/deleted/list", {
      access: "admin",
      summary: "Hosts whose deletion can be undone",
      request: listArguments,
      response: listReply,
      handle: ({ results, startindex }, c) => queries.deletedHostList(turnOf(c), results, startindex),
    }),
    writeJson("/admin/hosts/deleted/restore", {
      access: "admin",
      summary: "Undo the deletion of hosts: they are back with all that belonged to them",
      request: deletedHosts,
      response: restoreReply,
      errors: [noSuch("deleted host"), agentReports],
      audit: "itself",
      handle: async ({ hosts }, c) => ({ restored: await deleted.restore(hosts, actorOf(c)) }),
    }),
    writeJson("/admin/hosts/deleted/delete", {
      access: "admin",
      summary: "Delete deleted hosts for good: this cannot be undone",
      request: deletedHosts,
      response: deleteForGoodReply,
      errors: [noSuch("deleted host")],
      audit: "itself",
      handle: ({ hosts }, c) => ({ deleted: deleted.deleteForGood(hosts, actorOf(c)) }),
    }),
  ];
}
