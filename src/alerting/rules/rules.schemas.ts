import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  boolean,
  described,
  emptiable,
  id,
  idOf,
  integer,
  orEmpty,
  text,
} from "../../platform/http/validate.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";
import { ALERT_KINDS } from "../../platform/storage/schema/alerts.ts";
import { dayOfWeek, eventFilterReply, filterArguments, timeOfDay } from "./filters.schemas.ts";

export const MAX_MINUTES = 10_080; // a week

/** Longest JSON text of steps. */
const MAX_STEPS_TEXT = 100_000;

const minutes = v.optional(integer(0, MAX_MINUTES, `a number of minutes from 0 to ${MAX_MINUTES}`));
const timeOrNone = v.optional(orEmpty(timeOfDay));
const channels = v.optional(v.pipe(emptiable(id), v.maxLength(100)));
const flag = v.optional(boolean);

const MAX_FLAP_COUNT = 20;
const MAX_FLAP_MINUTES = 1440; // a day

const flapCount = v.pipe(
  integer(0, MAX_FLAP_COUNT, `0, or a number of failures from 2 to ${MAX_FLAP_COUNT}`),
  v.check((n) => n !== 1, `0, or a number of failures from 2 to ${MAX_FLAP_COUNT}`),
);
const flapWindow = integer(1, MAX_FLAP_MINUTES, `a number of minutes from 1 to ${MAX_FLAP_MINUTES}`);

const DELAY = "minutes that a failure must last before anybody is notified";
const REPEAT = "minutes between reminders of a failure that lasts and is not dismissed; 0: no reminders";
const RECOVERY = "whether the end of a failure is reported too";
const FINAL = "whether the rules after it skip the events that it matches";
const FLAP_COUNT = "failures of a check within flapwindow that are notified once, as flapping; 0: none are";
const FLAP_WINDOW =
  "minutes in which the failures of flapcount begin, and without another one until flapping ends";
const ENABLED = "whether the rule is enabled";
const POSITION = "place in the order of rules, from 1";

const contentArguments = {
  enabled: described(flag, ENABLED),
  ...filterArguments,
  delay: described(minutes, DELAY),
  repeat: described(minutes, REPEAT),
  recovery: described(flag, RECOVERY),
  final: described(flag, FINAL),
  quietdays: described(
    v.optional(emptiable(dayOfWeek)),
    "day of the week on which quiet hours begin; without it, every day",
  ),
  quietfrom: described(timeOrNone, "when the quiet hours begin, in which nobody is notified"),
  quietto: described(timeOrNone, "when the quiet hours end; at or before quietfrom: on the next day"),
  quiettimezone: described(
    v.optional(timeZone),
    "time zone of the quiet hours; without it, the one in the settings",
  ),
  escalateafter: described(
    minutes,
    "minutes of failure after which the channels of escalationchannelid are notified too; 0: never",
  ),
  flapcount: described(v.optional(flapCount), FLAP_COUNT),
  flapwindow: described(v.optional(flapWindow), FLAP_WINDOW),
  channelid: described(channels, "id of a channel to notify"),
  escalationchannelid: described(channels, "id of a channel to notify after escalateafter"),
  steps: described(
    v.optional(text(2, MAX_STEPS_TEXT)),
    "who is notified after how long, as a JSON array as in the reply of admin/rules/get; in place of the two steps of channelid and escalationchannelid",
  ),
};

const name = described(text(1, 255), "name of the rule");

export const createArguments = v.object({ name, ...contentArguments });
export const updateArguments = v.object({ id: idOf("rule"), name: v.optional(name), ...contentArguments });
export const moveArguments = v.object({
  id: idOf("rule"),
  position: described(integer(1, Number.MAX_SAFE_INTEGER, "a place in the order, from 1"), POSITION),
});

const content = v.object(contentArguments);
/** Everything but name and id. An absent argument keeps its value, or the default for a new rule. */
export type RuleArguments = v.InferOutput<typeof content>;
export type RuleCreation = v.InferOutput<typeof createArguments>;
export type RuleUpdate = v.InferOutput<typeof updateArguments>;

/** A rule over the last days, which need not be stored. */
export const previewArguments = v.object({
  id: described(v.optional(id), "id of the rule; without it, a rule that is not stored yet"),
  name: v.optional(name),
  ...contentArguments,
  days: described(
    v.optional(integer(1, 31, "a number of days from 1 to 31"), 7),
    "number of past days to preview",
  ),
});

const number = v.number();
const string = v.string();

const quiet = v.object({
  days: described(v.array(number), "days of the week on which they begin: 0 Sunday to 6 Saturday"),
  from: described(string, "time of day at which they begin"),
  to: described(string, "time of day at which they end"),
  timezone: described(string, "their time zone"),
});

const step = v.object({
  after: described(
    number,
    "minutes of failure after which it is notified, unless somebody acknowledged it; 0: first",
  ),
  channels: described(v.array(number), "ids of channels"),
  users: described(v.array(string), "login names of users"),
  schedules: described(v.array(number), "ids of schedules: who is on call then is notified"),
});

export const ruleReply = v.object({
  id: described(number, "id of the rule"),
  name: described(string, "name of the rule"),
  position: described(number, POSITION),
  enabled: described(v.boolean(), ENABLED),
  filter: described(eventFilterReply, "conditions that an event has to meet, all of them"),
  delay: described(number, DELAY),
  repeat: described(number, REPEAT),
  recovery: described(v.boolean(), RECOVERY),
  final: described(v.boolean(), FINAL),
  quiet: described(v.nullable(quiet), "quiet hours, in which nobody is notified; null: none"),
  escalateafter: described(
    number,
    "minutes of failure after which escalationchannels are notified too; 0: never",
  ),
  flapcount: described(number, FLAP_COUNT),
  flapwindow: described(number, FLAP_WINDOW),
  channels: described(v.array(number), "ids of the channels to notify"),
  escalationchannels: described(v.array(number), "ids of the channels to notify after escalateafter"),
  steps: described(
    v.array(step),
    "who is notified after how long; escalateafter and the like tell the first two",
  ),
});
export type RuleReply = v.InferOutput<typeof ruleReply>;

const previewed = v.object({
  date: described(number, "when it would have been sent or dropped, unix timestamp"),
  kind: described(v.picklist(ALERT_KINDS), "kind of message"),
  title: described(string, "title of the message"),
  events: described(v.array(number), "ids of the events that it reports"),
  heldback: described(string, "why nobody would have been notified; empty for a message that is sent"),
  channels: described(v.array(number), "ids of the channels to notify"),
  people: described(
    v.array(string),
    "login names of the users to notify, by themselves or as those on call then",
  ),
});

export const previewReply = v.object({
  records: described(v.array(previewed), "messages, newest first; the newest 1000 at most"),
  total: described(number, "number of messages in all"),
  matched: described(number, "number of events that the rule would have matched"),
  taken: described(number, "number of further events, which final rules before it would have taken"),
  datefrom: described(number, "start of the period that was examined, unix timestamp"),
  dateto: described(number, "end of the period that was examined, unix timestamp"),
  truncated: described(v.boolean(), "whether there were too many events to examine the whole period"),
});

export const ruleListReply = v.object({
  totalRecords,
  records: described(v.array(ruleReply), "rules, in the order in which they are evaluated"),
});

export const unmatchedReply = v.object({
  ids: described(
    v.array(number),
    "ids of enabled rules; none if there is no host, or if there are too many to find out in 3 seconds",
  ),
});

export const createReply = v.object({ id: described(number, "id of the new rule") });
