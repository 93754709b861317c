import * as v from "valibot";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf, nothing } from "../../platform/http/validate.ts";
import {
  createArguments,
  createReply,
  moveArguments,
  ruleListReply,
  ruleReply,
  updateArguments,
} from "./rules.schemas.ts";
import { type Rules, ruleExists } from "./rules.service.ts";

/** By which rules people are told of events. */
export function ruleOperations(rules: Rules): Operation[] {
  /** Lists as texts, so that the audit log can tell whether they changed. */
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
      summary: "List the rules by which people are told of events, in the order in which they are asked",
      request: nothing,
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
      summary: "Make a rule, which is asked after all others",
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
      summary: "Change a rule; what is absent is kept",
      request: updateArguments,
      response: v.object({}),
      errors: [noSuch("rule"), ruleExists],
      audit: { subject: "rule", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args) => {
        rules.update(args);
        return {};
      },
    }),
    write("/admin/rules/move", {
      access: "admin",
      summary: "Give a rule its place in the order",
      request: moveArguments,
      response: v.object({}),
      errors: [noSuch("rule")],
      audit: { subject: "rule", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args) => {
        rules.move(args.id, args.position);
        return {};
      },
    }),
    write("/admin/rules/delete", {
      access: "admin",
      summary: "Delete a rule; nobody is told by it any more",
      request: v.object({ id: idOf("rule") }),
      response: v.object({}),
      errors: [noSuch("rule")],
      audit: { subject: "rule", id: (args) => args.id },
      handle: (args) => {
        rules.delete(args.id);
        return {};
      },
    }),
  ];
}
