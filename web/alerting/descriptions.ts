/** Rules, filters and schedules as text for people. */
import { formatMinute } from "../text/format.ts";
import { SERVICE_TYPES } from "../text/type-names.ts";
import {
  EVERY_DAY,
  MUSTER_SEVERITIES,
  RULE_SENTENCES,
  RULE_SEVERITIES,
  RULE_STATES,
  SCHEDULE_SENTENCES,
  SCOPE_SENTENCES,
  SHORT_DAYS,
} from "./descriptions.texts.ts";
import type { EventFilter, Rule, RuleStep, Schedule, Scope } from "./types.ts";

const MINUTES_PER_HOUR = 60;

/** Names by id. An id without a name was deleted. */
export interface Names {
  host: (id: number) => string;
  group: (id: number) => string;
  channel: (id: number) => string;
  schedule: (id: number) => string;
}

const ANY_OF = new Intl.ListFormat("en-GB", { type: "disjunction" });
const ALL_OF = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** "5 min", "2 h", "1 h 30 min". */
export function minutesText(minutes: number): string {
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  const rest = minutes % MINUTES_PER_HOUR;
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(" ");
}

/** "Mon, Tue and Fri". */
function daysText(days: readonly number[]): string {
  return days.length === SHORT_DAYS.length
    ? EVERY_DAY
    : ALL_OF.format(days.map((day) => SHORT_DAYS[day] ?? ""));
}

/** Names of codes. A code without a name stays a number. */
const named = (codes: readonly number[], names: readonly string[]) =>
  ANY_OF.format(codes.map((code) => names[code] ?? String(code)));

function scopeSentences(scope: Scope, names: Names): string[] {
  const { hosts, hostgroups, tags, servicenames } = scope;
  const { otherHosts, groups, otherGroups, tags: tagged, services } = SCOPE_SENTENCES;
  const sentences: string[] = [];
  // An empty list names only objects hidden from the reader.
  if (hosts)
    sentences.push(
      hosts.length > 0 ? SCOPE_SENTENCES.hosts(ANY_OF.format(hosts.map(names.host))) : otherHosts,
    );
  if (hostgroups)
    sentences.push(hostgroups.length > 0 ? groups(ANY_OF.format(hostgroups.map(names.group))) : otherGroups);
  if (tags) sentences.push(tagged(ALL_OF.format(tags)));
  if (servicenames) sentences.push(services(ANY_OF.format(servicenames)));
  return sentences;
}

/** "Host groups: Edge. Services: nginx.", "All hosts and services." */
export function scopeText(scope: Scope, names: Names, furtherSentences: readonly string[] = []): string {
  const sentences = [...scopeSentences(scope, names), ...furtherSentences];
  return sentences.length > 0 ? sentences.join(" ") : SCOPE_SENTENCES.everything;
}

/** "Host groups: Oslo. States: Failures.", "All hosts and services." */
export function filterText(filter: EventFilter, names: Names): string {
  const { servicegroups, servicetypes, eventtypes, states, severities } = filter;
  if (filter.about === "muster")
    return [
      SCOPE_SENTENCES.muster,
      ...(severities ? [SCOPE_SENTENCES.severities(named(severities, MUSTER_SEVERITIES))] : []),
    ].join(" ");
  const sentences: string[] = [];
  if (servicegroups) sentences.push(SCOPE_SENTENCES.serviceGroups(ANY_OF.format(servicegroups)));
  if (servicetypes) sentences.push(SCOPE_SENTENCES.serviceTypes(named(servicetypes, SERVICE_TYPES)));
  if (eventtypes !== undefined) sentences.push(SCOPE_SENTENCES.someClasses);
  if (states) sentences.push(SCOPE_SENTENCES.states(named(states, RULE_STATES)));
  if (severities) sentences.push(SCOPE_SENTENCES.severities(named(severities, RULE_SEVERITIES)));
  return scopeText(filter, names, sentences);
}

/** The recipients of a step: channels, users, and schedules. Empty if there are none. */
function audienceText({ channels, users, schedules }: RuleStep, names: Names): string {
  const onCall = schedules.map((id) => RULE_SENTENCES.onCall(names.schedule(id)));
  return ALL_OF.format([...channels.map(names.channel), ...users, ...onCall]);
}

/** When a lasting failure is escalated, and to whom. */
function escalationText(step: RuleStep, names: Names): string {
  const audience = audienceText(step, names);
  const wait = minutesText(step.after);
  return audience === ""
    ? RULE_SENTENCES.escalatesToNobody(wait)
    : RULE_SENTENCES.escalates({ who: audience, wait });
}

/** Whom a rule notifies first, and when. */
function notifyText({ steps: [first], delay, recovery }: Rule, names: Names): string {
  const audience = first ? audienceText(first, names) : "";
  if (audience === "") return RULE_SENTENCES.notifiesNobody;
  const { notifies, notifiesAndRecovery, notifiesLater, notifiesLaterAndRecovery } = RULE_SENTENCES;
  const immediately = recovery ? notifiesAndRecovery : notifies;
  const later = recovery ? notifiesLaterAndRecovery : notifiesLater;
  return (delay > 0 ? later : immediately)({ who: audience, wait: minutesText(delay) });
}

/** What a rule applies to, whom it notifies and when: a few short sentences. */
export function ruleText(rule: Rule, names: Names): string {
  const { repeat, quiet, steps } = rule;
  const sentences = [
    filterText(rule.filter, names),
    notifyText(rule, names),
    ...(repeat > 0 ? [RULE_SENTENCES.repeats(minutesText(repeat))] : []),
    ...steps.slice(1).map((step) => escalationText(step, names)),
    ...(quiet ? [RULE_SENTENCES.quiet({ days: daysText(quiet.days), from: quiet.from, to: quiet.to })] : []),
  ];
  return sentences.join(" ");
}

/** "Once, from 2026-03-09 14:05 to 2026-03-09 15:05.", "Sun: at 03:00 for 1 h 30 min (Europe/Berlin)." */
export function scheduleText(schedule: Schedule): string {
  if (schedule.kind === "once")
    return SCHEDULE_SENTENCES.once({ from: formatMinute(schedule.from), to: formatMinute(schedule.to) });
  const { days, from, minutes, timezone = "" } = schedule;
  return SCHEDULE_SENTENCES.weekly({ days: daysText(days), from, length: minutesText(minutes), timezone });
}
