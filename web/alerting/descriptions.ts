/** Rules, filters and schedules as text for people. */
import { formatMinute } from "../text/format.ts";
import { SERVICE_TYPES } from "../text/names.ts";
import type { EventFilter, Rule, RuleStep, Schedule, Scope } from "./types.ts";

export const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const EVERY_DAY = 7;
const MINUTES_PER_HOUR = 60;

/** Names by id. An id without a name was deleted. */
export interface Names {
  host: (id: number) => string;
  group: (id: number) => string;
  channel: (id: number) => string;
  schedule: (id: number) => string;
}

function listed(items: readonly string[], conjunction = "or"): string {
  return items.length < 2
    ? (items[0] ?? "")
    : `${items.slice(0, -1).join(", ")} ${conjunction} ${items.at(-1) ?? ""}`;
}

/** "5 min", "2 h", "1 h 30 min". */
export function minutesText(minutes: number): string {
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  const rest = minutes % MINUTES_PER_HOUR;
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(" ");
}

export function daysText(days: readonly number[]): string {
  if (days.length === EVERY_DAY) return "every day";
  return listed(
    days.map((day) => (DAYS[day] ?? "").slice(0, 3)),
    "and",
  );
}

/** "hosts in Edge", "nginx on web-1"; "everything" for an empty filter; "other" ones are not seen. */
export function scopeText({ hostids, hostgroupids, tags, servicenames }: Scope, names: Names): string {
  const hosts = hostids && (listed(hostids.map(names.host)) || "other hosts");
  const groups = hostgroupids && `hosts in ${listed(hostgroupids.map(names.group)) || "other groups"}`;
  const tagged = tags && `hosts tagged ${listed(tags, "and")}`;
  const where = [hosts, groups, tagged].filter(Boolean).join(" among ");
  const services = servicenames && listed(servicenames);
  if (!services) return where || "everything";
  return where ? `${services} on ${where}` : services;
}

/** By state code, as a rule names the events that it is about. */
export const RULE_STATES = ["Recoveries", "Failures", "Changes"] as const;

/** By severity code, which only failures of limits have. */
export const RULE_SEVERITIES = [
  "Reported by agents",
  "Warnings of limits",
  "Critical failures of limits",
] as const;

export function filterText(filter: EventFilter, names: Names): string {
  const types = filter.servicetypes?.map((type) => SERVICE_TYPES[type] ?? String(type));
  const states = filter.states?.map((state) => RULE_STATES[state] ?? String(state));
  const severities = filter.severities?.map((code) => RULE_SEVERITIES[code] ?? String(code));
  return [
    scopeText(filter, names),
    filter.servicegroups && `service group ${listed(filter.servicegroups)}`,
    types && `of type ${listed(types)}`,
    filter.eventtypes !== undefined && "some classes of event",
    states && `only ${listed(states).toLowerCase()}`,
    severities && `only ${listed(severities).toLowerCase()}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Whom a step notifies: channels, users, and who is on call. */
function audienceText({ channels, users, schedules }: RuleStep, names: Names): string {
  const onCall = schedules.map((id) => `the person on call in ${names.schedule(id)}`);
  return listed([...channels.map(names.channel), ...users, ...onCall], "and") || "nobody";
}

/** After which time a lasting failure is escalated, and to whom. */
function escalationText(step: RuleStep, names: Names): string {
  return `Escalates after ${minutesText(step.after)} to ${audienceText(step, names)}`;
}

/** Whom a rule notifies first, and when. */
function notifyText({ steps: [first], delay, recovery }: Rule, names: Names): string {
  const who = first ? audienceText(first, names) : "nobody";
  const wait = minutesText(delay);
  if (delay > 0)
    return recovery ? `Notifies ${who} after ${wait} and on recovery` : `Notifies ${who} after ${wait}`;
  return recovery ? `Notifies ${who} immediately and on recovery` : `Notifies ${who} immediately`;
}

/** What a rule applies to, whom it notifies and when: a few short sentences. */
export function ruleText(rule: Rule, names: Names): string {
  const { repeat, quiet, steps } = rule;
  const sentences = [
    `Applies to ${filterText(rule.filter, names)}`,
    notifyText(rule, names),
    repeat > 0 ? `Repeats every ${minutesText(repeat)}` : null,
    ...steps.slice(1).map((step) => escalationText(step, names)),
    quiet && `Quiet hours: ${daysText(quiet.days)} from ${quiet.from} to ${quiet.to}`,
  ];
  return sentences.flatMap((sentence) => (sentence ? [`${sentence}.`] : [])).join(" ");
}

export function scheduleText(schedule: Schedule): string {
  if (schedule.kind === "once") return `once, ${formatMinute(schedule.from)} to ${formatMinute(schedule.to)}`;
  const { days, from, minutes, timezone } = schedule;
  return `${daysText(days)} at ${from} for ${minutesText(minutes)} (${timezone})`;
}
