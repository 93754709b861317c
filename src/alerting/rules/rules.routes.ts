import { managedReach, scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { RuleQueries } from "./rules.queries.ts";
import { moveArguments, rule, unmatchedReply } from "./rules.schemas.ts";
import { type Rules, ruleExists } from "./rules.service.ts";

/** Operations on notification rules. */
export function ruleOperations(rules: Rules, queries: RuleQueries): Operation[] {
  return [
    ...resourceOperations({
      path: "/admin/rules",
      resource: rule,
      collection: rules,
      queries: { list: queries.ruleList, get: queries.rule },
      access: { read: "manage", change: "manage" },
      reach: managedReach,
      subject: "rule",
      taken: ruleExists,
      summaries: {
        list: "List the notification rules, in the order in which they are evaluated",
        get: "A rule",
        create: "Create a rule; it is evaluated after all others",
        update: "Change a rule",
        delete: "Delete a rule; it sends no more messages",
      },
    }),
    read("/admin/rules/unmatched", {
      access: "manage",
      summary: "Rules whose filter currently matches no service of any host, so they notify nobody",
      response: unmatchedReply,
      handle: (_args, c) => queries.rulesUnmatched(turnOf(c), scopeOf(c, "manage")),
    }),
    write("/admin/rules/move", {
      access: "admin",
      summary: "Move a rule to a place in the order",
      request: moveArguments,
      errors: [noSuch("rule")],
      audit: {
        subject: "rule",
        id: ({ id }) => id,
        state: ({ id }) => ({ position: rules.position(id) }),
      },
      handle: ({ id, position }) => rules.move(id, position),
    }),
  ];
}
