import * as v from "valibot";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { RuleQueries } from "./rules.queries.ts";
import {
  createArguments,
  createReply,
  moveArguments,
  ruleListReply,
  ruleReply,
  unmatchedReply,
  updateArguments,
} from "./rules.schemas.ts";
import { type Rules, ruleExists } from "./rules.service.ts";

/** Operations on notification rules. */
export function ruleOperations(rules: Rules, queries: RuleQueries): Operation[] {
  /** What the audit log says of a rule. */
  const stateOf = (id: number) => {
    const { id: _, filter, quiet, steps, ...others } = rules.get(id, "all");
    const { channels: __, escalateafter: ___, escalationchannels: ____, ...plain } = others;
    return { ...plain, filter, quiet, steps };
  };
  return [
    read("/admin/rules/list", {
      access: "manage",
      summary: "List the notification rules, in the order in which they are evaluated",
      response: ruleListReply,
      handle: (_args, c) => queries.ruleList(turnOf(c), scopeOf(c, "manage")),
    }),
    read("/admin/rules/unmatched", {
      access: "manage",
      summary: "Rules whose filter matches no service of any host at present: they notify nobody",
      response: unmatchedReply,
      handle: (_args, c) => queries.rulesUnmatched(turnOf(c), scopeOf(c, "manage")),
    }),
    read("/admin/rules/get", {
      access: "manage",
      summary: "A rule",
      request: v.object({ id: idOf("rule") }),
      response: ruleReply,
      errors: [noSuch("rule")],
      handle: (args, c) => queries.rule(turnOf(c), args.id, scopeOf(c, "manage")),
    }),
    write("/admin/rules/create", {
      access: "manage",
      summary: "Create a rule; it is evaluated after all others",
      request: createArguments,
      response: createReply,
      errors: [ruleExists],
      audit: {
        subject: "rule",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => stateOf(reply.id),
      },
      handle: (args, c) => ({ id: rules.create(args, scopeOf(c, "manage")) }),
    }),
    write("/admin/rules/update", {
      access: "manage",
      summary: "Change a rule; absent arguments keep their value",
      request: updateArguments,
      errors: [noSuch("rule"), ruleExists],
      audit: { subject: "rule", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args, c) => rules.update(args, scopeOf(c, "manage")),
    }),
    write("/admin/rules/move", {
      access: "admin",
      summary: "Move a rule to a place in the order",
      request: moveArguments,
      errors: [noSuch("rule")],
      audit: { subject: "rule", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args) => rules.move(args.id, args.position),
    }),
    write("/admin/rules/delete", {
      access: "manage",
      summary: "Delete a rule; it sends no more messages",
      request: v.object({ id: idOf("rule") }),
      errors: [noSuch("rule")],
      audit: { subject: "rule", id: (args) => args.id },
      handle: (args, c) => rules.delete(args.id, scopeOf(c, "manage")),
    }),
  ];
}
