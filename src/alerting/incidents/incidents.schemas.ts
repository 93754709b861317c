import * as v from "valibot";
import { eventListReply, eventReply } from "../../monitoring/events/events.schemas.ts";
import { mutedReply } from "../../monitoring/health/muted.ts";
import { tagFilter } from "../../monitoring/tags/tags.schemas.ts";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import { described, id, idOf, oneOf, unixTimestamp } from "../../platform/http/validate.ts";
import { eventAlertsReply } from "../notifications/deliveries.schemas.ts";

/** Larger pages are cut to this size: each incident takes several lookups. */
const MAX_PAGE = 500;

export const incidentListArguments = v.object({
  state: described(
    v.optional(oneOf(["open", "ended"]), "open"),
    "open: those that are ongoing, the newest first; ended: the last one to end first",
  ),
  hostid: described(v.optional(v.array(id)), "only incidents of these hosts"),
  hostgroupid: described(v.optional(v.array(id)), "only incidents of members of these host groups"),
  tag: tagFilter("incidents of hosts"),
  datefrom: described(v.optional(unixTimestamp), "only incidents that lasted at this second or later"),
  dateto: described(v.optional(unixTimestamp), "only incidents that began by this second"),
  results: pageSize(50, MAX_PAGE),
  startindex: v.optional(startindex, 0),
});
export type IncidentListArguments = v.InferOutput<typeof incidentListArguments>;

export const incidentArguments = v.object({ id: idOf("event") });

const number = v.number();
const string = v.string();

const acknowledged = described(
  v.nullable(
    v.object({
      uname: described(string, "login name of the user"),
      date: described(number, "when, unix timestamp"),
      until: described(v.nullable(number), "when it ends, unix timestamp; null: when the failure ends"),
      ended: described(number, "when it ended, unix timestamp; 0 while it is in effect"),
      note: described(string, "the user's note; empty without one"),
    }),
  ),
  "the last acknowledgement of it; null: nobody acknowledged it",
);

const change = described(
  v.nullable(
    v.object({
      id: described(number, "id of the event"),
      date: described(number, "when, unix timestamp"),
      servicename: described(string, "name of the service that changed"),
      message: described(string, "message of the event"),
    }),
  ),
  "the last change of the host in the hour before; null: none is known",
);

const incident = {
  id: described(number, "id of its first error event"),
  eventid: described(number, "id of its last error event, the one to acknowledge or dismiss"),
  hostid: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
  serviceid: described(number, "id of the service; 0 if the host has none of that name now"),
  servicename: described(string, "name of the service"),
  event: described(string, "name of the event type"),
  message: described(string, "message of the last error event"),
  since: described(number, "when it began, unix timestamp"),
  ended: described(number, "when it ended, unix timestamp; 0 while it lasts"),
  dismissed: described(number, "1: dismissed"),
  acknowledged,
  muted: mutedReply,
  notified: described(
    v.array(string),
    "who was notified of it: login names, and names of channels for what goes to a channel as a whole",
  ),
  change,
  limitid: described(number, "id of the limit that the failure is about; 0: none"),
  severity: described(number, "of an exceeded limit: 1 warning, 2 critical; 0 otherwise"),
};

const { totalRecords: _, ...page } = pageReply;

export const incidentListReply = v.object({
  ...page,
  more: described(v.boolean(), "whether there are further records"),
  records: described(v.array(v.object(incident)), "incidents"),
});

export const incidentReply = v.object({
  ...incident,
  notes: described(eventReply.entries.note, "notes of its events, oldest first"),
  notifications: described(eventAlertsReply, "messages about its events, and rules that suppressed one"),
  events: described(
    eventListReply.entries.records,
    "its errors and its recovery, the newest first, at most 200",
  ),
});
