import * as v from "valibot";
import { actorOf } from "../../accounts/audit/actor.ts";
import { callerOf, reachOf, scopeOf, seesSecrets, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { FULL_REACH } from "../../platform/http/scope.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { DeletedHosts } from "./deleted-hosts.service.ts";
import type { HostQueries } from "./hosts.queries.ts";
import {
  actionArguments,
  actionReply,
  deleteArguments,
  deleteReply,
  hostListReply,
  hostReply,
  testArguments,
  testReply,
  updateArguments,
} from "./hosts.schemas.ts";
import {
  actionQueueByAdmin,
  agentFailed,
  type Hosts,
  hostConflict,
  passwordNeeded,
} from "./hosts.service.ts";

/** Host administration. */
export function hostOperations(hosts: Hosts, deleted: DeletedHosts, queries: HostQueries): Operation[] {
  return [
    read("/admin/hosts/list", {
      access: "manage",
      compatible: true,
      summary: "List all hosts",
      response: hostListReply,
      handle: (_args, c) => queries.hostList(turnOf(c), scopeOf(c, "manage")),
    }),
    read("/admin/hosts/get", {
      access: "manage",
      compatible: true,
      summary: "Settings of a host",
      request: v.object({ id: idOf("host") }),
      response: hostReply,
      errors: [noSuch("host")],
      handle: (args, c) => {
        const host = hosts.get(args.id, reachOf(c, "manage"));
        return seesSecrets(callerOf(c)) ? host : { ...host, agentpassword: "" };
      },
    }),
    write("/admin/hosts/update", {
      access: "manage",
      compatible: true,
      summary: "Change the settings of a host; absent optional arguments keep their value",
      request: updateArguments,
      errors: [noSuch("host"), passwordNeeded, actionQueueByAdmin],
      audit: { subject: "host", id: (args) => args.id, state: (args) => hosts.get(args.id, FULL_REACH) },
      handle: (args, c) =>
        callerOf(c).admin
          ? hosts.update(args, FULL_REACH)
          : hosts.updateAsManager(args, reachOf(c, "manage")),
    }),
    write("/admin/hosts/delete", {
      access: "admin",
      compatible: true,
      summary:
        "Delete a host by id, or all Inactive hosts whose last report is at least a number of seconds old",
      request: deleteArguments,
      response: deleteReply,
      errors: [because(errors.badRequest, "Exactly one of id and inactive must be set"), noSuch("host")],
      audit: "itself",
      handle: async (args, c) => {
        const { inactive } = args;
        const inactiveIds = async (before: number) =>
          (await queries.inactiveHostIds(turnOf(c), before)).value.ids;
        const { ids, inactiveSince } = await hosts.chosen(args, inactiveIds);
        return { deleted: await deleted.delete(ids, { inactive }, actorOf(c), inactiveSince) };
      },
    }),
    write("/admin/hosts/test", {
      access: "admin",
      compatible: true,
      summary: "Test the connection to an agent",
      request: testArguments,
      response: testReply,
      audit: {
        subject: "agent",
        id: ({ ipaddr, port }) => `${ipaddr}:${port}`,
        details: ({ ssl, sslverify }, { status }) => ({ ssl, sslverify, status }),
      },
      handle: (args) => hosts.test(args),
    }),
    write("/admin/hosts/action", {
      access: "operate",
      compatible: true,
      summary: "Have an agent start, stop, restart, monitor or unmonitor services",
      request: actionArguments,
      response: actionReply,
      errors: [noSuch("host or service"), hostConflict, agentFailed],
      audit: "itself",
      handle: async (args, c) => {
        await hosts.act(args, actorOf(c), reachOf(c, "operate"));
        return { service: args.service, action: args.action };
      },
    }),
  ];
}
