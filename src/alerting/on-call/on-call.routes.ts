import { callerOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import type { OnCallQueries } from "./on-call.queries.ts";
import {
  calendarArguments,
  calendarReply,
  createArguments,
  createReply,
  listReply,
  nowReply,
  oneOverride,
  oneSchedule,
  overrideCreation,
  overrideReply,
  scheduleReply,
  updateArguments,
} from "./on-call.schemas.ts";
import { type OnCall, scheduleExists, scheduleUsed } from "./on-call.service.ts";

function scheduleOperations(queries: OnCallQueries): Operation[] {
  return [
    read("/oncall/now", {
      access: "session",
      summary: "Who is on call now, until when, and when next nobody is",
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
    read("/oncall/list", {
      access: "session",
      summary: "List the schedules of people on call",
      response: listReply,
      handle: (_args, c) => queries.scheduleList(turnOf(c)),
    }),
    read("/oncall/get", {
      access: "session",
      summary: "A schedule",
      request: oneSchedule,
      response: scheduleReply,
      errors: [noSuch("schedule")],
      handle: (args, c) => queries.schedule(turnOf(c), args.id),
    }),
  ];
}

/** Operations on schedules of people on call. */
export function onCallOperations(onCall: OnCall, queries: OnCallQueries): Operation[] {
  return [
    ...scheduleOperations(queries),
    write("/oncall/create", {
      access: "admin",
      summary: "Create a schedule",
      request: createArguments,
      response: createReply,
      errors: [scheduleExists],
      audit: {
        subject: "oncall",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => onCall.auditState(reply.id),
      },
      handle: (args) => ({ id: onCall.create(args) }),
    }),
    write("/oncall/update", {
      access: "admin",
      summary: "Change a schedule; absent arguments keep their value",
      request: updateArguments,
      errors: [noSuch("schedule"), scheduleExists],
      audit: { subject: "oncall", id: (args) => args.id, state: (args) => onCall.auditState(args.id) },
      handle: (args) => onCall.update(args),
    }),
    write("/oncall/delete", {
      access: "admin",
      summary: "Delete a schedule with its overrides",
      request: oneSchedule,
      errors: [noSuch("schedule"), scheduleUsed],
      audit: { subject: "oncall", id: (args) => args.id },
      handle: (args) => onCall.delete(args.id),
    }),
    write("/oncall/override/create", {
      access: "admin",
      summary: "Put a user on call for a time, in place of the rotations and of earlier overrides",
      request: overrideCreation,
      response: overrideReply,
      errors: [noSuch("schedule"), noSuch("user")],
      audit: {
        subject: "oncall",
        id: (args) => args.scheduleid,
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
