import * as v from "valibot";
import { onlyId } from "../../platform/http/audit-rule.ts";
import { callerOf, reachOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { change, type Operation, query, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import { eventChangesReply } from "./event-changes.schemas.ts";
import type { EventQueries } from "./events.queries.ts";
import {
  dismissArguments,
  eventListArguments,
  eventListReply,
  eventReply,
  eventSummaryReply,
  noteArguments,
  noteReply,
} from "./events.schemas.ts";
import type { Events } from "./events.service.ts";

/**
 * Operations on events. Everyone reads those of the hosts that they see; changing one needs the right to
 * respond.
 */
export function eventOperations(events: Events, queries: EventQueries): Operation[] {
  return [
    query("/reports/events/list", {
      access: "session",
      compatible: true,
      past: true,
      summary: "Events, filtered, sorted and paged",
      request: eventListArguments,
      response: eventListReply,
      handle: (args, c) => queries.eventList(turnOf(c), args, scopeOf(c)),
    }),
    query("/reports/events/get", {
      access: "session",
      compatible: true,
      past: true,
      summary: "An event with its notes",
      request: v.object({ id: idOf("event") }),
      response: eventReply,
      errors: [noSuch("event")],
      handle: (args, c) => queries.event(turnOf(c), args.id, scopeOf(c)),
    }),
    query("/reports/events/changes", {
      access: "session",
      summary:
        "What changed before a failure: on its host in the hour before, in its groups in the same minute",
      request: v.object({ id: idOf("event") }),
      response: eventChangesReply,
      errors: [noSuch("event")],
      handle: ({ id }, c) => queries.eventChanges(turnOf(c), id, scopeOf(c)),
    }),
    query("/reports/events/summary", {
      access: "session",
      compatible: true,
      past: true,
      summary: "Events of the last 24 hours, counted per 10 minutes",
      response: eventSummaryReply,
      handle: (_args, c) => queries.eventSummary(turnOf(c), scopeOf(c)),
    }),
    change("/reports/events/dismiss", {
      access: "respond",
      compatible: true,
      summary: "Dismiss active errors",
      request: dismissArguments,
      errors: [noSuch("event")],
      audit: {
        subject: "event",
        id: onlyId,
        details: ({ id }) => ({ id }),
      },
      stepped: {
        objects: "id",
        check: ({ id }, c) => events.checkDismissal(id, reachOf(c, "respond")),
      },
      handle: (args, c) => events.dismiss(args.id, reachOf(c, "respond")),
    }),
    write("/reports/events/note", {
      access: "respond",
      summary: "Add a note to an event",
      request: noteArguments,
      response: noteReply,
      errors: [noSuch("event")],
      audit: { subject: "event", id: (args) => args.id, details: (_args, reply) => ({ note: reply.id }) },
      handle: ({ id, message }, c) => {
        const note = { eventId: id, uname: callerOf(c).uname, message };
        return { id: events.addNote(note, reachOf(c, "respond")) };
      },
    }),
  ];
}
