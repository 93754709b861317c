import * as v from "valibot";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import {
  createArguments,
  createReply,
  moveArguments,
  ruleListReply,
  ruleReply,
  updateArguments,
} from "./rules.schemas.ts";
import { type Rules, ruleExists } from "./rules.service.ts";

/** Operations on notification rules. */
export function ruleOperations(rules: Rules): Operation[] {
  /** Lists become texts, so that the audit log can compare them. */
  const stateOf = (id: number) => {
    const { id: _, filter, quiet, channels, escalationchannels, ...plain } = rules.get(id);
    return {
      ...plain,
      filter: JSON.stringify(filter),
      quiet: quiet && JSON.stringify(quiet),
      channels: channels.join(", "),
      escalationchannels: escalationchannels.join(", "),
    };
  };
  return [
    read("/admin/rules/list", {
      access: "admin",
      summary: "List the notification rules, in the order in which they are evaluated",
      response: ruleListReply,
      handle: () => rules.list(),
    }),
    read("/admin/rules/get", {
      access: "admin",
      summary: "A rule",
      request: v.object({ id: idOf("rule") }),
      response: ruleReply,
      errors: [noSuch("rule")],
      handle: (args) => rules.get(args.id),
    }),
    write("/admin/rules/create", {
      access: "admin",
      summary: "Create a rule; it is evaluated after all others",
      request: createArguments,
      response: createReply,
      errors: [ruleExists],
      audit: {
        subject: "rule",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => stateOf(reply.id),
      },
      handle: (args) => ({ id: rules.create(args) }),
    }),
    write("/admin/rules/update", {
      access: "admin",
      summary: "Change a rule; absent arguments keep their value",
      request: updateArguments,
      errors: [noSuch("rule"), ruleExists],
      audit: { subject: "rule", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args) => rules.update(args),
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
      access: "admin",
      summary: "Delete a rule; it sends no more messages",
      request: v.object({ id: idOf("rule") }),
      errors: [noSuch("rule")],
      audit: { subject: "rule", id: (args) => args.id },
      handle: (args) => rules.delete(args.id),
    }),
  ];
}
