import * as v from "valibot";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import { described, id, oneOf, unixTimestamp } from "../../platform/http/validate.ts";
import { DELIVERY_STATUSES, LISTED_KINDS } from "../../platform/storage/schema/alerts.ts";

/** Larger pages are cut to this size. */
export const MAX_PAGE = 200;

const number = v.number();
const string = v.string();

const status = oneOf(DELIVERY_STATUSES);
const statusReply = described(
  v.picklist(DELIVERY_STATUSES),
  "pending: it waits for its first or next attempt",
);
const kindReply = described(
  v.picklist(LISTED_KINDS),
  "kind of message; report: a report by mail; shift: that a shift on call begins or ends",
);
const attempt = {
  date: described(number, "when the message was created, unix timestamp"),
  finished: described(v.nullable(number), "when it was sent or given up, unix timestamp; null: not yet"),
  attempts: described(number, "number of attempts to send it"),
};

export const deliveryListArguments = v.object({
  channelid: described(v.optional(id), "only messages through this channel"),
  ruleid: described(v.optional(id), "only messages of this rule"),
  eventid: described(v.optional(id), "only messages about this event"),
  status: described(v.optional(v.array(status)), "only messages with this status"),
  datefrom: described(v.optional(unixTimestamp), "only messages from this second on"),
  dateto: described(v.optional(unixTimestamp), "only messages up to and including this second"),
  results: pageSize(50, MAX_PAGE),
  startindex: v.optional(startindex, 0),
});
export type DeliveryListArguments = v.InferOutput<typeof deliveryListArguments>;

const PERSON = "login name of the user whom it is for; empty: it is for the channel";

const eventOfDelivery = v.object({
  id: described(number, "id of the event"),
  host: described(string, "name of the host"),
  service: described(string, "name of the service"),
});

const findingOfDelivery = v.object({
  id: described(number, "id of the failure"),
  code: described(string, "code of the check (see admin/health/get)"),
  subject: described(string, "what it is about; empty: Muster as a whole"),
  text: described(string, "what is wrong"),
});

export const deliveryListReply = v.object({
  ...pageReply,
  records: described(
    v.array(
      v.object({
        id: described(number, "id of the delivery"),
        kind: kindReply,
        status: statusReply,
        ...attempt,
        next: described(v.nullable(number), "when it is tried next, unix timestamp; null: never"),
        answer: described(string, "what the remote replied to the last attempt, or why there was no reply"),
        rule: described(string, "name of the rule, the report, or the schedule of a shift, at that time"),
        ruleid: described(
          v.nullable(number),
          "id of the rule; null if it has been deleted, and for a report or a shift",
        ),
        channel: described(
          string,
          "name of the channel at that time; for a message that reaches nobody, that of the schedule or user",
        ),
        channelid: described(
          v.nullable(number),
          "id of the channel; null if it has been deleted, or there is none",
        ),
        eventcount: described(number, "number of events that it reports"),
        events: described(v.array(eventOfDelivery), "the first 50 of these events, by host and service"),
        findings: described(
          v.array(findingOfDelivery),
          "the failures of Muster itself that it reports, in place of events",
        ),
        recipient: described(string, "the one recipient to whom it goes; empty: all of the channel"),
        person: described(string, PERSON),
      }),
    ),
    "messages, newest first",
  ),
});

const eventAlert = v.object({
  rule: described(string, "name of the rule"),
  kind: kindReply,
  channel: described(string, "name of the channel"),
  status: statusReply,
  ...attempt,
  answer: described(string, "what the remote replied, for administrators; empty for others"),
  person: described(string, PERSON),
  recipient: described(string, "the one recipient to whom it goes, for administrators; empty for others"),
});

const suppressed = v.object({
  rule: described(string, "name of a rule that sent no message, or none yet"),
  reason: described(string, "why it sent none, or what it is waiting for"),
});

export const eventAlertsReply = v.object({
  records: described(
    v.array(eventAlert),
    "messages about the event or, if it belongs to a failure, about that",
  ),
  heldback: described(v.array(suppressed), "rules that suppressed or delayed a message"),
});
