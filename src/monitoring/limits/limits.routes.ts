import * as v from "valibot";
import { reachOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, query, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { LimitQueries } from "./limits.queries.ts";
import {
  createArguments,
  createReply,
  limitReply,
  listReply,
  previewArguments,
  previewReply,
  updateArguments,
} from "./limits.schemas.ts";
import { type Limits, limitExists } from "./limits.service.ts";

/** Operations on limits: everyone sees those that can concern their hosts, administrators and managers of their groups change them. */
export function limitOperations(limits: Limits, queries: LimitQueries): Operation[] {
  /** What the audit log says of a limit. */
  const stateOf = (id: number) => {
    const { statistics, filter, ...plain } = limits.auditState(id);
    return { ...plain, statistics: statistics.join(", "), filter };
  };
  return [
    read("/limits/list", {
      access: "session",
      summary: "List the limits of the hosts that the caller sees, with how many failures each has open",
      response: listReply,
      handle: (_args, c) => queries.limitList(turnOf(c), reachOf(c, "manage")),
    }),
    read("/limits/get", {
      access: "session",
      summary: "A limit",
      request: v.object({ id: idOf("limit") }),
      response: limitReply,
      errors: [noSuch("limit")],
      handle: (args, c) => queries.limit(turnOf(c), args.id, reachOf(c, "manage")),
    }),
    query("/limits/preview", {
      access: "manage",
      summary:
        "Preview the failures that a limit would have opened in the last days: a stored one with the given changes, or a new one",
      request: previewArguments,
      response: previewReply,
      errors: [noSuch("limit"), because(errors.missingArgument, "A new limit lacks a statistic or a value")],
      handle: ({ id, days, ...given }, c) =>
        queries.limitPreview(turnOf(c), limits.draft(id, given, reachOf(c, "manage")), days),
    }),
    write("/limits/create", {
      access: "manage",
      summary: "Create a limit; values are held to it from the next message on",
      request: createArguments,
      response: createReply,
      errors: [limitExists],
      audit: {
        subject: "limit",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => stateOf(reply.id),
      },
      handle: (args, c) => ({ id: limits.create(args, scopeOf(c, "manage")) }),
    }),
    write("/limits/update", {
      access: "manage",
      summary: "Change a limit; absent arguments keep their value",
      request: updateArguments,
      errors: [noSuch("limit"), limitExists],
      audit: { subject: "limit", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args, c) => limits.update(args, reachOf(c, "manage")),
    }),
    write("/limits/delete", {
      access: "manage",
      summary: "Delete a limit and end its failures",
      request: v.object({ id: idOf("limit") }),
      errors: [noSuch("limit")],
      audit: { subject: "limit", id: (args) => args.id },
      handle: (args, c) => limits.delete(args.id, reachOf(c, "manage")),
    }),
  ];
}
