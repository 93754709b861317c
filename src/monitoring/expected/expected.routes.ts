import { managedReach, turnOf } from "../../platform/http/context.ts";
import { because, errors } from "../../platform/http/errors.ts";
import { ask, type Operation, writeJson } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { ExpectedQueries } from "./expected.queries.ts";
import {
  expectedHost,
  importArguments,
  importReply,
  previewArguments,
  previewReply,
} from "./expected.schemas.ts";
import { type ExpectedHosts, expectedExists } from "./expected.service.ts";

/** Operations on expected hosts: administrators manage all, managers those that join groups of theirs alone. */
export function expectedOperations(expected: ExpectedHosts, queries: ExpectedQueries): Operation[] {
  return [
    ...resourceOperations({
      path: "/admin/expected",
      resource: expectedHost,
      collection: expected,
      queries: { list: queries.expectedList, get: queries.expectedHost },
      access: { read: "manage", change: "manage" },
      reach: managedReach,
      subject: "expected",
      taken: expectedExists,
      summaries: {
        list: "List the hosts that are expected, and those that arrived in the last 7 days",
        get: "A host that is expected",
        create:
          "Expect a host: when an agent with its name first reports, the host gets these settings; what a manager of groups expects applies only to hosts that report with a key of these groups",
        update: "Change what an expected host gets",
        delete: "Stop expecting a host",
      },
    }),
    ask("/admin/expected/preview", {
      access: "manage",
      summary:
        "What an import of a list of hosts would add, and what it finds wrong or ambiguous; nothing is stored",
      request: previewArguments,
      response: previewReply,
      handle: (args, c) => {
        expected.check(args, managedReach(c));
        return queries.expectedPreview(turnOf(c), args, managedReach(c));
      },
    }),
    writeJson("/admin/expected/import", {
      access: "manage",
      summary:
        "Expect the hosts of a list that are neither expected nor reporting; none if any part of the list is wrong",
      request: importArguments,
      response: importReply,
      errors: [because(errors.badRequest, "Too many hosts would be expected")],
      audit: {
        subject: "expected",
        details: (_args, { added, skipped, createdgroups }) => ({ added, skipped, createdgroups }),
      },
      handle: (args, c) => expected.import(turnOf(c), args, managedReach(c)),
    }),
  ];
}
