import * as v from "valibot";
import { serviceType } from "../../monitoring/health/service-type.schemas.ts";
import { condition, placeConditions, unique } from "../../monitoring/places/places.schemas.ts";
import {
  allowing,
  bitmask,
  boolean,
  described,
  id,
  integer,
  nameText,
  oneOf,
  previewDays,
  text,
} from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { type ContentOf, resource } from "../../platform/resources/resource.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";
import { ALERT_KINDS } from "../../platform/storage/schema/alerts.ts";
import { FINDING_SEVERITIES } from "../../platform/storage/schema/health.ts";
import { MAX_FLAP_COUNT, MAX_FLAP_MINUTES, MAX_MINUTES, MAX_STEPS } from "./rule-bounds.ts";
import { dayOfWeek, timeOfDay } from "./times.schemas.ts";

/** The most channels, users or schedules in a step. */
const MAX_NAMED = 100;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

const minutes = integer(0, MAX_MINUTES, `a number of minutes from 0 to ${MAX_MINUTES}`);
const flapCount = v.pipe(
  integer(0, MAX_FLAP_COUNT, `0, or a number of failures from 2 to ${MAX_FLAP_COUNT}`),
  v.check((n) => n !== 1),
);
const level = oneOf([0, 1, 2]);

const filter = v.strictObject({
  about: described(
    v.exactOptional(oneOf(["muster"])),
    "muster: only failures of Muster itself, which other rules never match; then severities is the only other condition",
  ),
  ...placeConditions,
  servicegroups: condition(text(1, 255), "only services in service groups with these names"),
  servicetypes: condition(serviceType, "only services of these types (see service types)"),
  eventtypes: described(
    v.exactOptional(bitmask),
    "only events of any of these types: a sum of codes (see event types)",
  ),
  states: condition(level, "only these states: 0 success, 1 error, 2 change; without it, errors and changes"),
  severities: condition(
    level,
    "only these severities: 0 what agents report, 1 warnings of limits or about Muster itself, 2 critical failures of these; without it, all",
  ),
});

const quiet = v.strictObject({
  days: described(
    v.optional(v.pipe(v.array(dayOfWeek), v.minLength(1), v.transform(unique)), EVERY_DAY),
    "days of the week on which they begin: 0 Sunday to 6 Saturday",
  ),
  from: described(timeOfDay, "time of day at which they begin"),
  to: described(timeOfDay, "time of day at which they end; at or before from: on the next day"),
  timezone: described(v.exactOptional(timeZone), "their time zone; without it, the one in the settings"),
});

function named<const T extends v.GenericSchema>(item: T, meaning: string) {
  const list = v.pipe(v.array(item), v.maxLength(MAX_NAMED), v.transform(unique));
  return described(v.optional(list, []), meaning);
}

const step = v.strictObject({
  after: described(
    v.optional(minutes, 0),
    "minutes of failure after which it is notified, unless someone acknowledged it; 0 for the first step",
  ),
  channels: named(reference("channel"), "ids of channels"),
  users: named(reference("user"), "login names of users"),
  schedules: named(reference("schedule"), "ids of schedules: who is on call then is notified"),
});

/** A rule: which events it matches, who is notified of them, and when. */
export const rule = resource("rule", {
  order: "in the order in which they are evaluated",
  fields: {
    name: described(nameText(255), "name of the rule"),
    enabled: described(v.optional(boolean, true), "whether the rule is enabled"),
    filter: described(v.optional(filter, {}), "conditions, all of which an event has to meet"),
    delay: described(v.optional(minutes, 0), "minutes that a failure must last before anyone is notified"),
    repeat: described(
      v.optional(minutes, 0),
      "minutes between reminders of a failure that lasts and is not dismissed; 0: no reminders",
    ),
    recovery: described(v.optional(boolean, true), "whether the end of a failure is reported too"),
    final: described(
      v.optional(boolean, false),
      "whether the rules after it skip the events that it matches",
    ),
    quiet: described(
      v.optional(allowing(v.nullable(quiet), "quiet hours, or null for none"), null),
      "quiet hours, in which nobody is notified; null: none",
    ),
    flapcount: described(
      v.optional(flapCount, 3),
      "number of failures of a check within flapwindow that trigger one notification, as flapping; 0: never",
    ),
    flapwindow: described(
      v.optional(integer(1, MAX_FLAP_MINUTES, `a number of minutes from 1 to ${MAX_FLAP_MINUTES}`), 10),
      "minutes within which flapcount failures begin; flapping ends after this long without another one",
    ),
    steps: described(
      allowing(
        v.pipe(v.array(step), v.minLength(1), v.maxLength(MAX_STEPS)),
        `a list of 1 to ${MAX_STEPS} steps`,
      ),
      "who is notified after how long, in order of time; each names a channel, a user or a schedule",
    ),
  },
  derived: {
    position: described(v.number(), "place in the order of rules, from 1 (see admin/rules/move)"),
  },
});

export type RuleContent = ContentOf<typeof rule>;
export type RuleStep = RuleContent["steps"][number];

export const moveArguments = v.object({
  ...rule.item.entries,
  position: described(
    integer(1, Number.MAX_SAFE_INTEGER, "a place in the order, from 1"),
    "place in the order of rules, from 1",
  ),
});

/** A preview of a rule over the last days. It need not be stored: a stored rule, one with changes, or a new one. */
export const previewArguments = v.strictObject({
  id: described(v.optional(id), "id of the rule; without it, a rule that is not stored yet"),
  rule: described(v.optional(rule.content), "the whole rule to preview; without it, the stored one"),
  days: previewDays,
});

const number = v.number();
const string = v.string();

const previewed = v.object({
  date: described(number, "when it would have been sent or dropped, unix timestamp"),
  kind: described(v.picklist(ALERT_KINDS), "kind of message"),
  title: described(string, "title of the message"),
  events: described(v.array(number), "ids of the events that it reports"),
  findings: described(
    v.array(number),
    "ids of the failures of Muster itself that it reports, in place of events",
  ),
  heldback: described(string, "why nobody would have been notified; empty for a message that is sent"),
  channels: described(v.array(number), "ids of the channels to notify"),
  people: described(v.array(string), "login names of the users to notify, named by the rule or on call then"),
});

const currentFinding = v.object({
  id: described(number, "id of the finding"),
  code: described(string, "code of the check (see admin/health/get)"),
  subject: described(string, "what it is about; empty: Muster as a whole"),
  severity: described(v.picklist(FINDING_SEVERITIES), "how bad it is"),
  since: described(number, "first evaluation that found it, unix timestamp"),
  text: described(string, "what is wrong"),
  channels: described(v.array(number), "ids of the channels that the first step notifies"),
  people: described(v.array(string), "login names of the users whom the first step would notify now"),
});

export const previewReply = v.object({
  records: described(v.array(previewed), "messages, newest first; the newest 1000 at most"),
  total: described(number, "number of messages in all"),
  matched: described(
    number,
    "number of events that the rule would have matched, or of failures of Muster itself",
  ),
  taken: described(
    number,
    "number of further matching events that an earlier final rule would have ended with",
  ),
  current: described(
    v.array(currentFinding),
    "what is wrong with Muster itself now and the rule selects; none for a rule about hosts",
  ),
  datefrom: described(number, "start of the period that was examined, unix timestamp"),
  dateto: described(number, "end of the period that was examined, unix timestamp"),
  truncated: described(v.boolean(), "whether there were too many events to examine the whole period"),
});

export const unmatchedReply = v.object({
  ids: described(
    v.array(number),
    "ids of enabled rules; none if there is no host, or if there are too many to check within 3 seconds",
  ),
});
