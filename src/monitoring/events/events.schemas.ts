import * as v from "valibot";
import { direction, pageReply, pageSize, sortReply, startindex } from "../../platform/http/paging.ts";
import {
  bitmask,
  described,
  id,
  idOf,
  momentId,
  oneOf,
  text,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { mutedReply } from "../health/muted.ts";
import { serviceType } from "../health/service-type.schemas.ts";
import { tagFilter } from "../tags/tags.schemas.ts";
import { acknowledgementReply } from "../uptime/acknowledgements.schemas.ts";
import { MAX_SEARCHED_WORDS } from "./event-words.ts";

const DEFAULT_RESULTS = 50;

const STATE = "0 success, 1 error, 2 change";

export const eventListArguments = v.object({
  active: described(
    v.optional(oneOf([0, 1, 2]), 0),
    "0 all events; 1 only active errors; 2 only active errors that are not dismissed",
  ),
  hostid: described(v.optional(v.array(id)), "only events of these hosts"),
  hostgroupid: described(v.optional(v.array(id)), "only events of members of these host groups"),
  tag: tagFilter("events of hosts"),
  servicenameid: described(v.optional(v.array(id)), "only events of services with these names"),
  servicegroupid: described(v.optional(v.array(momentId)), "only events of services in these service groups"),
  servicetype: described(
    v.optional(v.array(serviceType)),
    "only events of services of this type (see service types)",
  ),
  eventtype: described(v.optional(bitmask), "only events of any of these types (see event types)"),
  state: described(v.optional(v.array(oneOf([0, 1, 2]))), `only events with this state: ${STATE}`),
  text: described(
    v.optional(text(0, 255)),
    `only events in which each of these words begins a word of message, host or service, regardless of case; a text without letters and digits may be anywhere in them; of more than ${MAX_SEARCHED_WORDS} words, the first ${MAX_SEARCHED_WORDS} count`,
  ),
  datefrom: described(v.optional(unixTimestamp), "only events from this second on"),
  dateto: described(v.optional(unixTimestamp), "only events up to and including this second"),
  maxid: described(
    v.optional(id),
    "only events up to this id: the pages of a list stay the same while new events arrive",
  ),
  results: pageSize(DEFAULT_RESULTS),
  startindex: v.optional(startindex, 0),
  sort: described(
    v.optional(oneOf(["date", "hostname", "servicename", "event", "note"]), "date"),
    "field to sort by",
  ),
  dir: v.optional(direction, "desc"),
});
/** Without `results`, which only the legacy API leaves out, the list has all records. */
export type EventListArguments = Omit<v.InferOutput<typeof eventListArguments>, "results"> & {
  results?: number | undefined;
};

export const dismissArguments = v.object({
  id: described(v.pipe(v.array(id), v.minLength(1)), "id of an event that is an active error"),
});

export const noteArguments = v.object({
  id: idOf("event"),
  message: described(text(1, 4096), "text of the note"),
});

const number = v.number();
const string = v.string();
const stateReply = described(number, STATE);
const standing = {
  active: described(number, "1: an error that is still active"),
  dismissed: described(number, "1: dismissed"),
};
const date = described(number, "when it happened, unix timestamp");
const failure = {
  serviceid: described(number, "id of the service; 0 if the host has none of that name now"),
  since: described(
    number,
    "start of the failure that an error reports, unix timestamp; 0 for other events, and if the failure ended in the same second",
  ),
  ended: described(number, "end of that failure, unix timestamp; 0 while it lasts, and without a start"),
  acknowledged: acknowledgementReply,
  muted: mutedReply,
  limitid: described(number, "id of the limit that the event is about; 0: none"),
  severity: described(number, "of an error about a limit: 1 warning, 2 critical; 0 otherwise"),
};

export const eventListReply = v.object({
  ...pageReply,
  ...sortReply,
  records: described(
    v.array(
      v.object({
        id: described(number, "id of the event"),
        date,
        hostname: described(string, "name of the host"),
        hostid: described(number, "id of the host"),
        servicename: described(string, "name of the service"),
        servicenameid: described(number, "id of the name, which all services of that name share"),
        event: described(string, "message of the event"),
        eventtype: stateReply,
        note: described(number, "1: the event has notes"),
        ...standing,
        ...failure,
      }),
    ),
    "events",
  ),
  maxid: described(v.optional(number), "the argument maxid; absent if it was not sent"),
});

const note = v.object({
  date: described(number, "when it was written, unix timestamp"),
  uname: described(string, "login name of the author"),
  message: described(string, "text of the note"),
});

export const eventReply = v.object({
  id: described(number, "id of the event"),
  hostid: described(number, "id of the host"),
  host: described(string, "name of the host"),
  date,
  servicename: described(string, "name of the service"),
  servicetype: described(string, "name of the service type"),
  event: described(string, "name of the event type"),
  eventstate: stateReply,
  action: described(string, "what the agent did about it"),
  message: described(string, "message of the event"),
  note: described(v.array(note), "notes, oldest first"),
  ...standing,
  ...failure,
});

const eventCounts = v.object({
  label: described(string, "Failed, Changed or Succeeded"),
  data: described(
    v.array(v.tuple([number, number])),
    "144 pairs: start of 10 minutes (unix timestamp), number of events",
  ),
});

export const eventSummaryReply = v.object({
  datefrom: described(number, "start of the 24 hours, unix timestamp"),
  dateto: described(number, "end of the 24 hours, unix timestamp"),
  events: described(v.array(eventCounts), "one item per label"),
});

export const noteReply = v.object({ id: described(number, "id of the new note") });
