import * as v from "valibot";
import { reachOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write, writeJson } from "../../platform/http/operation.ts";
import { described, idOf } from "../../platform/http/validate.ts";
import type { GroupQueries } from "./groups.queries.ts";
import { listReply, memberArguments, name, statusListReply, targetArguments } from "./groups.schemas.ts";
import { type Groups, groupExists } from "./groups.service.ts";

/** Host groups: every user reads their members, administrators manage them. */
export function groupOperations(groups: Groups, queries: GroupQueries): Operation[] {
  return [
    read("/status/hostgroups/list", {
      access: "session",
      past: true,
      summary: "Host groups with the ids of their members",
      response: statusListReply,
      handle: (_args, c) => queries.groupStatusList(turnOf(c), scopeOf(c)),
    }),
    read("/admin/groups/list", {
      access: "manage",
      compatible: true,
      summary: "List the host groups that the caller manages with their members, and their hosts",
      response: listReply,
      handle: (_args, c) => queries.groupList(turnOf(c), scopeOf(c, "manage")),
    }),
    write("/admin/groups/create", {
      access: "admin",
      compatible: true,
      summary: "Create a host group",
      request: v.object({ name }),
      response: v.object({ id: described(v.number(), "id of the new group") }),
      errors: [groupExists],
      audit: { subject: "group", id: (_args, reply) => reply?.id },
      handle: (args) => ({ id: groups.create(args.name) }),
    }),
    write("/admin/groups/update", {
      access: "admin",
      compatible: true,
      summary: "Rename a host group",
      request: v.object({ id: idOf("group"), name }),
      errors: [noSuch("group"), groupExists],
      audit: { subject: "group", id: (args) => args.id, details: ({ name }) => ({ name }) },
      handle: (args) => groups.rename(args.id, args.name),
    }),
    writeJson("/admin/groups/target", {
      access: "manage",
      summary: "Set the uptime target of a host group",
      request: targetArguments,
      errors: [noSuch("group")],
      audit: { subject: "group", id: ({ id }) => id, state: ({ id }) => ({ target: groups.target(id) }) },
      handle: (args, c) => groups.setTarget(args, reachOf(c, "manage")),
    }),
    write("/admin/groups/delete", {
      access: "admin",
      compatible: true,
      summary: "Delete a host group; its hosts stay",
      request: v.object({ id: idOf("group") }),
      errors: [noSuch("group")],
      audit: { subject: "group", id: (args) => args.id },
      handle: (args) => groups.delete(args.id),
    }),
    write("/admin/groups/add", {
      access: "admin",
      compatible: true,
      summary: "Add hosts to a group: none if one of them does not exist; many in steps",
      request: memberArguments,
      response: v.object({ added: described(v.number(), "number of hosts that were not members before") }),
      errors: [noSuch("group or host")],
      audit: {
        subject: "group",
        id: (args) => args.id,
        details: ({ hostid }, { added }) => ({ hosts: hostid, added }),
      },
      stepped: {
        objects: "hostid",
        check: (args) => groups.checkMembers(args),
        reply: (replies) => ({ added: replies.reduce((sum, { added }) => sum + added, 0) }),
      },
      handle: (args) => ({ added: groups.add(args) }),
    }),
    write("/admin/groups/remove", {
      access: "admin",
      compatible: true,
      summary:
        "Remove hosts from a group: none if one of them does not exist, many in steps; hosts whose agents name the group stay",
      request: memberArguments,
      response: v.object({ removed: described(v.number(), "number of hosts that are no longer members") }),
      errors: [noSuch("group or host")],
      audit: {
        subject: "group",
        id: (args) => args.id,
        details: ({ hostid }, { removed }) => ({ hosts: hostid, removed }),
      },
      stepped: {
        objects: "hostid",
        check: (args) => groups.checkMembers(args),
        reply: (replies) => ({ removed: replies.reduce((sum, { removed }) => sum + removed, 0) }),
      },
      handle: (args) => ({ removed: groups.remove(args) }),
    }),
  ];
}
