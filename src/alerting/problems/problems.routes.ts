import { onlyId } from "../../platform/http/audit-rule.ts";
import { callerOf, reachOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, write } from "../../platform/http/operation.ts";
import type { Stepped } from "../../platform/http/steps.ts";
import { acknowledgeArguments, eventsArgument } from "./problems.schemas.ts";
import type { Problems } from "./problems.service.ts";

/** Operations with which users handle failures. `reports/events/dismiss` is an operation of events. */
export function problemOperations(problems: Problems): Operation[] {
  const stepped: Stepped<{ id: number[] }, void> = {
    objects: "id",
    check: ({ id }, c) => void problems.check(id, reachOf(c, "respond")),
  };
  return [
    write("/problems/acknowledge", {
      access: "respond",
      summary: "Acknowledge active errors: no reminder and no escalation until a time, or until they recover",
      request: acknowledgeArguments,
      errors: [noSuch("event")],
      audit: { subject: "event", id: onlyId, details: ({ id, until }) => ({ id, until }) },
      stepped: {
        objects: "id",
        check: (args, c) => void problems.checkAcknowledgement(args, reachOf(c, "respond")),
      },
      handle: (args, c) => problems.acknowledge(args, callerOf(c).uname, reachOf(c, "respond")),
    }),
    write("/problems/unacknowledge", {
      access: "respond",
      summary: "End the acknowledgement of events",
      request: eventsArgument,
      errors: [noSuch("event")],
      audit: { subject: "event", id: onlyId, details: ({ id }) => ({ id }) },
      stepped,
      handle: (args, c) => problems.unacknowledge(args.id, reachOf(c, "respond")),
    }),
    write("/reports/events/undismiss", {
      access: "respond",
      summary: "Undo the dismissal of events",
      request: eventsArgument,
      errors: [noSuch("event")],
      audit: { subject: "event", id: onlyId, details: ({ id }) => ({ id }) },
      stepped,
      handle: (args, c) => problems.undismiss(args.id, reachOf(c, "respond")),
    }),
  ];
}
