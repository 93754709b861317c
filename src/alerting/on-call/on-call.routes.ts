import { callerOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write, writeJson } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { OnCallQueries } from "./on-call.queries.ts";
import {
  calendarArguments,
  calendarReply,
  nowReply,
  oneOverride,
  overrideCreation,
  overrideReply,
  schedule,
} from "./on-call.schemas.ts";
import { type OnCall, scheduleExists, scheduleUsed } from "./on-call.service.ts";

/** Operations on schedules of people on call. */
export function onCallOperations(onCall: OnCall, queries: OnCallQueries): Operation[] {
  return [
    read("/oncall/now", {
      access: "session",
      past: true,
      summary: "Who is on call now and until when, and the next time without anyone on call",
      response: nowReply,
      handle: (_args, c) => queries.onCallNow(turnOf(c)),
    }),
    read("/oncall/calendar", {
      access: "session",
      summary: "Who is on call in a span, and when nobody is",
      request: calendarArguments,
      response: calendarReply,
      errors: [noSuch("schedule")],
      handle: (args, c) => queries.onCallCalendar(turnOf(c), args),
    }),
    ...resourceOperations({
      path: "/oncall",
      resource: schedule,
      collection: onCall,
      queries: { list: queries.scheduleList, get: queries.schedule },
      access: { read: "session", change: "admin" },
      subject: "oncall",
      taken: scheduleExists,
      used: scheduleUsed,
      summaries: {
        list: "List the schedules of people on call",
        get: "A schedule",
        create: "Create a schedule",
        update: "Change a schedule",
        delete: "Delete a schedule with its overrides",
      },
    }),
    writeJson("/oncall/override/create", {
      access: "admin",
      summary: "Put a user on call for a time, in place of the rotations and of earlier overrides",
      request: overrideCreation,
      response: overrideReply,
      errors: [because(errors.badArgument, "It is not a span in the future")],
      audit: {
        subject: "oncall",
        id: (args) => args.schedule,
        details: (_args, reply) => onCall.auditOverride(reply.id),
      },
      handle: (args, c) => ({ id: onCall.createOverride(args, callerOf(c).uname) }),
    }),
    write("/oncall/override/delete", {
      access: "admin",
      summary: "Delete an override: the rotations count again",
      request: oneOverride,
      errors: [noSuch("override")],
      audit: {
        subject: "override",
        id: (args) => args.id,
        state: (args) => onCall.auditOverride(args.id),
      },
      handle: (args) => onCall.deleteOverride(args.id),
    }),
  ];
}
