import { reachOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { ask, type Operation, read } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { LimitQueries } from "./limits.queries.ts";
import {
  limit,
  previewArguments,
  previewReply,
  sumsArguments,
  sumsReply,
  unmatchedReply,
} from "./limits.schemas.ts";
import { type Limits, limitExists } from "./limits.service.ts";

/**
 * Operations on limits. Everyone sees those that can concern their hosts; administrators, and managers of their
 * groups, change them.
 */
export function limitOperations(limits: Limits, queries: LimitQueries): Operation[] {
  return [
    ...resourceOperations({
      past: true,
      path: "/limits",
      resource: limit,
      collection: limits,
      queries: { list: queries.limitList, get: queries.limit },
      access: { read: "session", change: "manage" },
      subject: "limit",
      taken: limitExists,
      summaries: {
        list: "List the limits of the hosts that the caller sees, with how many failures each has open",
        get: "A limit",
        create: "Create a limit; values are compared with it from the next message on",
        update: "Change a limit",
        delete: "Delete a limit and end its failures",
      },
    }),
    read("/limits/unmatched", {
      access: "manage",
      summary: "Limits that currently match no value of any host, so they cannot warn",
      response: unmatchedReply,
      handle: (_args, c) => queries.limitsUnmatched(turnOf(c), scopeOf(c, "manage")),
    }),
    read("/limits/sums", {
      access: "session",
      summary: "What a limit on monthly sums has added up in the current month, by service",
      request: sumsArguments,
      response: sumsReply,
      errors: [noSuch("limit"), because(errors.badArgument, "The limit is not on monthly sums")],
      handle: (args, c) => queries.limitSums(turnOf(c), args, scopeOf(c)),
    }),
    ask("/limits/preview", {
      access: "manage",
      summary:
        "Preview the failures that a limit would have opened in the last days: a stored one, with changes if there are any, or a new one",
      request: previewArguments,
      response: previewReply,
      errors: [noSuch("limit"), because(errors.missingArgument, "A new limit lacks a value")],
      handle: ({ id, limit: content, days }, c) =>
        queries.limitPreview(
          turnOf(c),
          { ...limits.draft(id, content, reachOf(c, "manage")), id: id ?? 0 },
          days,
        ),
    }),
  ];
}
