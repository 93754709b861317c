import * as v from "valibot";
import { callerOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, query } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { StatusQueries } from "./status.queries.ts";
import { hostListArguments, hostListReply, hostReply, summaryReply } from "./status.schemas.ts";

/** Operations that read the current status of the hosts that the caller sees. */
export function statusOperations(queries: StatusQueries): Operation[] {
  return [
    query("/status/hosts/list", {
      access: "session",
      compatible: true,
      past: true,
      summary: "Current status of all hosts, or of a selection",
      request: hostListArguments,
      response: hostListReply,
      handle: (args, c) => queries.hostStatusList(turnOf(c), args, scopeOf(c)),
    }),
    query("/status/hosts/get", {
      access: "session",
      compatible: true,
      past: true,
      summary: "Current status of a host with its services and their latest values",
      request: v.object({ id: idOf("host") }),
      response: hostReply,
      errors: [noSuch("host")],
      handle: (args, c) =>
        queries.hostStatus(turnOf(c), args.id, callerOf(c).admin, scopeOf(c), scopeOf(c, "manage")),
    }),
    query("/status/hosts/summary", {
      access: "session",
      compatible: true,
      past: true,
      summary: "How many hosts are in each state",
      response: summaryReply,
      handle: (_args, c) => queries.hostSummary(turnOf(c), scopeOf(c)),
    }),
  ];
}
