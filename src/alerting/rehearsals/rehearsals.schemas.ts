import * as v from "valibot";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import { boolean, described, id, idOf, integer, nameText, oneOf } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";
import { DELIVERY_STATUSES } from "../../platform/storage/schema/alerts.ts";
import { dayOfWeek, timeOfDay } from "../rules/times.schemas.ts";

/** Minutes. Links in messages work for a day. */
const MAX_WAIT = 1440;
/** Larger pages are cut to this size. */
const MAX_PAGE = 200;

/** What is rehearsed, and how. */
const rehearsed = {
  rule: described(
    v.optional(v.nullable(reference("rule")), null),
    "id of the rule whose steps are rehearsed; null: a schedule is",
  ),
  schedule: described(
    v.optional(v.nullable(reference("schedule")), null),
    "id of the schedule that is rehearsed: who is on call then is notified; null: a rule is",
  ),
  escalate: described(
    v.optional(boolean, false),
    "whether further steps of the rule are notified, each after its minutes, until someone acknowledges",
  ),
  wait: described(
    v.optional(integer(1, MAX_WAIT, `a number of minutes from 1 to ${MAX_WAIT}`), 30),
    "minutes after the last message in which recipients can acknowledge; then the rehearsal ends",
  ),
};

export const startArguments = v.strictObject(rehearsed);
export type StartArguments = v.InferOutput<typeof startArguments>;
export const startReply = v.object({ id: described(v.number(), "id of the rehearsal") });

/** A rehearsal that is held each week. */
export const weeklyRehearsal = resource("weekly rehearsal", {
  order: "by name",
  fields: {
    name: described(nameText(255), "name of the weekly rehearsal"),
    enabled: described(v.optional(boolean, true), "whether it is held"),
    ...rehearsed,
    day: described(dayOfWeek, "day of the week on which it is held: 0 Sunday to 6 Saturday"),
    time: described(timeOfDay, "time of day at which it is held"),
    timezone: described(
      v.optional(timeZone),
      "time zone of day and time; without it, that of the schedule, or the one in the settings",
    ),
  },
  derived: {
    next: described(
      v.nullable(v.number()),
      "when it is next held, unix timestamp; null: never, it is not enabled",
    ),
  },
});

export const rehearsalListArguments = v.object({
  ruleid: described(v.optional(id), "only rehearsals of this rule"),
  scheduleid: described(v.optional(id), "only rehearsals of this schedule"),
  results: pageSize(50, MAX_PAGE),
  startindex: v.optional(startindex, 0),
});
export type RehearsalListArguments = v.InferOutput<typeof rehearsalListArguments>;
export const oneRehearsal = v.object({ id: idOf("rehearsal") });

const number = v.number();
const string = v.string();

const rehearsal = {
  id: described(number, "id of the rehearsal"),
  ruleid: described(v.nullable(number), "id of the rule; null: a schedule is rehearsed"),
  scheduleid: described(v.nullable(number), "id of the schedule; null: a rule is rehearsed"),
  of: described(string, "name of the rule or schedule"),
  weeklyid: described(
    v.nullable(number),
    "id of the weekly rehearsal; null: someone started it, or it has been deleted",
  ),
  startedby: described(string, "login name of the user who started it; empty: it is held each week"),
  date: described(number, "when it was started, unix timestamp"),
  ended: described(v.nullable(number), "when it ended, unix timestamp; null: not yet"),
  escalate: rehearsed.escalate,
  wait: rehearsed.wait,
  muted: described(
    string,
    "what muted the rule at its start, so that a real problem would have notified nobody; empty: nothing",
  ),
  outcome: described(string, "why it was not held, or ended early; empty otherwise"),
  notified: described(number, "number of recipients whom it notified"),
  acknowledged: described(number, "number of these who acknowledged it"),
  asleep: described(
    v.array(string),
    "recipients who have not acknowledged it: users, addresses (for administrators), channels, and schedules with nobody on call",
  ),
};

const message = v.object({
  step: described(number, "step of the rule, from 0"),
  person: described(string, "login name of the user whom it is for; empty: it is for the channel"),
  recipient: described(
    string,
    "the one recipient to whom it goes, for administrators; empty: all of the channel",
  ),
  channel: described(
    string,
    "name of the channel at that time; for a message that reaches nobody, that of the schedule or user",
  ),
  channelid: described(v.nullable(number), "id of the channel; null if there is none"),
  status: described(oneOf(DELIVERY_STATUSES), "status of its delivery"),
  attempts: described(number, "number of attempts to send it"),
  answer: described(
    string,
    "what the remote replied to the last attempt, for administrators; or why nobody was reached",
  ),
  date: described(number, "when it was created, unix timestamp"),
  delivered: described(v.nullable(number), "seconds until it was delivered; null: it has not been"),
  acknowledged: described(
    v.nullable(number),
    "seconds from its creation until its recipient acknowledged it; null: nobody has",
  ),
});

export const rehearsalListReply = v.object({
  ...pageReply,
  records: described(v.array(v.object(rehearsal)), "rehearsals, newest first"),
});

export const rehearsalReply = v.object({
  ...rehearsal,
  messages: described(v.array(message), "its messages, in the order of steps"),
});

const named = v.object({
  id: described(number, "id of the rule or schedule"),
  name: described(string, "its name"),
});

export const suggestionReply = v.object({
  records: described(
    v.array(
      v.object({
        channelid: described(number, "id of the channel"),
        channel: described(string, "name of the channel"),
        last: described(
          v.nullable(number),
          "when it last delivered a message, unix timestamp; null: not within 90 days",
        ),
        rules: described(v.array(named), "enabled rules of which a step reaches the channel now"),
        schedules: described(v.array(named), "schedules whose person on call is notified through it now"),
      }),
    ),
    "enabled channels without a delivery for 30 days, by name",
  ),
});
