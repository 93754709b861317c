import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { type Operation, query } from "../../platform/http/operation.ts";
import type { GlanceQueries } from "./glance.queries.ts";
import { glanceArguments, glanceReply } from "./glance.schemas.ts";

/** The operation for the small charts in lists of hosts: one call for all hosts of a page. */
export function glanceOperations(queries: GlanceQueries): Operation[] {
  return [
    query("/status/hosts/glance", {
      access: "session",
      past: true,
      summary: "The last 24 hours of several hosts: heartbeat, CPU, memory, load and fullest filesystem",
      request: glanceArguments,
      response: glanceReply,
      handle: ({ id }, c) => queries.hostGlance(turnOf(c), id, scopeOf(c)),
    }),
  ];
}
