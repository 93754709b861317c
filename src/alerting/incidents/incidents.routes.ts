import * as v from "valibot";
import { callerOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import { eventAlertsReply } from "../notifications/deliveries.schemas.ts";
import type { IncidentQueries } from "./incidents.queries.ts";
import {
  incidentArguments,
  incidentListArguments,
  incidentListReply,
  incidentReply,
} from "./incidents.schemas.ts";
import { movedArguments, movedReply } from "./moved.schemas.ts";

/** Operations on incidents. They are acknowledged and dismissed by their event, with the operations of events. */
export function incidentOperations(queries: IncidentQueries): Operation[] {
  return [
    read("/incidents/list", {
      access: "session",
      past: true,
      summary: "Failures, each from its first error to its recovery, open or ended",
      request: incidentListArguments,
      response: incidentListReply,
      handle: (args, c) => queries.incidentList(turnOf(c), args, scopeOf(c)),
    }),
    read("/incidents/get", {
      access: "session",
      past: true,
      summary: "The incident that contains an error event, with its events",
      request: incidentArguments,
      response: incidentReply,
      errors: [noSuch("incident")],
      handle: ({ id }, c) => queries.incident(turnOf(c), id, callerOf(c).admin, scopeOf(c)),
    }),
    read("/incidents/moved", {
      access: "session",
      summary: "What is known to have moved in the hour before an incident, in the order of time",
      request: movedArguments,
      response: movedReply,
      errors: [noSuch("incident")],
      handle: ({ id }, c) => queries.incidentMoved(turnOf(c), id, callerOf(c).admin, scopeOf(c)),
    }),
    read("/reports/events/alerts", {
      access: "session",
      past: true,
      summary: "Who was notified of an event, and why others were not",
      request: v.object({ id: idOf("event") }),
      response: eventAlertsReply,
      errors: [noSuch("event")],
      handle: (args, c) => queries.deliveriesOfEvent(turnOf(c), args.id, callerOf(c).admin, scopeOf(c)),
    }),
  ];
}
