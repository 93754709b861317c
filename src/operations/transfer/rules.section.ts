import * as v from "valibot";
import { findChannel } from "../../alerting/channels/channels.repository.ts";
import { findSchedule, findScheduleByName } from "../../alerting/on-call/on-call.repository.ts";
import { namedSteps } from "../../alerting/rules/rule-steps.ts";
import { allRules, findRuleByName } from "../../alerting/rules/rules.repository.ts";
import { createArguments } from "../../alerting/rules/rules.schemas.ts";
import { errors } from "../../platform/http/errors.ts";
import { checked } from "../../platform/http/validate.ts";
import type { Db } from "../../platform/storage/open.ts";
import { idOfChannel, namedFilter, orNone, placeArgumentsOf, placeEntries } from "./references.ts";
import { quoted, type Section } from "./section.ts";

const numbers = v.optional(v.array(v.number()));

const ruleSchema = v.strictObject({
  name: v.string(),
  enabled: v.boolean(),
  filter: v.strictObject({
    ...placeEntries,
    servicegroups: v.optional(v.array(v.string())),
    servicetypes: numbers,
    eventtypes: v.optional(v.number()),
    states: numbers,
    severities: numbers,
  }),
  delay: v.number(),
  repeat: v.number(),
  recovery: v.boolean(),
  final: v.boolean(),
  quiet: v.nullable(
    v.strictObject({ days: v.array(v.number()), from: v.string(), to: v.string(), timezone: v.string() }),
  ),
  flapcount: v.optional(v.number()),
  flapwindow: v.optional(v.number()),
  /** By names of channels and schedules, and login names. */
  steps: v.array(
    v.strictObject({
      after: v.number(),
      channels: v.array(v.string()),
      users: v.array(v.string()),
      schedules: v.array(v.string()),
    }),
  ),
});
type RuleItem = v.InferOutput<typeof ruleSchema>;

function idOfSchedule(db: Db, name: string): number {
  const schedule = findScheduleByName(db, name);
  if (!schedule) throw errors.badRequest(`There is no schedule ${quoted(name)}`);
  return schedule.id;
}

/** The steps as an API argument. */
function stepsArgument(db: Db, steps: RuleItem["steps"]): string {
  const withIds = steps.map(({ channels, schedules, ...same }) => ({
    ...same,
    channels: channels.map((name) => idOfChannel(db, name)),
    schedules: schedules.map((name) => idOfSchedule(db, name)),
  }));
  return JSON.stringify(withIds);
}

/** The rule as API arguments, validated like those of a request. */
function argumentsOf(db: Db, rule: RuleItem) {
  const { filter, quiet, steps, ...same } = rule;
  const { hosts, hostgroups, tags, servicenames, ...other } = filter;
  const place = { hosts, hostgroups, tags, servicenames };
  return checked(createArguments, {
    ...same,
    ...placeArgumentsOf(db, place, rule.enabled),
    servicegroup: orNone(other.servicegroups),
    servicetype: orNone(other.servicetypes),
    eventtype: other.eventtypes ?? 0,
    state: orNone(other.states),
    severity: orNone(other.severities),
    ...(quiet
      ? { quietdays: quiet.days, quietfrom: quiet.from, quietto: quiet.to, quiettimezone: quiet.timezone }
      : { quietfrom: "", quietto: "" }),
    steps: stepsArgument(db, steps),
  });
}

/** Rules, in their order. Existing rules that are not in the file come after them. */
export const rulesSection: Section<RuleItem> = {
  name: "rules",
  schema: ruleSchema,
  nameOf: (rule) => rule.name,
  exportItems: ({ db }) =>
    allRules(db).map((rule) => {
      const { filter, lost } = namedFilter(db, rule.filter);
      return {
        name: rule.name,
        enabled: rule.enabled && !lost,
        filter,
        delay: rule.delay,
        repeat: rule.repeat,
        recovery: rule.recovery,
        final: rule.final,
        quiet: rule.quietHours,
        flapcount: rule.flapCount,
        flapwindow: rule.flapWindow,
        steps: namedSteps(db, rule.steps).map(({ channels, schedules, ...same }) => ({
          ...same,
          channels: channels.map((id) => findChannel(db, id)?.name ?? ""),
          schedules: schedules.map((id) => findSchedule(db, id)?.name ?? ""),
        })),
      };
    }),
  importItem: ({ db, rules }, item, { place }) => {
    const given = argumentsOf(db, item);
    const known = findRuleByName(db, item.name);
    const id = known?.id ?? rules.create(given, "all");
    if (known) rules.update({ id, ...given }, "all");
    rules.move(id, place);
    return known ? "updated" : "created";
  },
};
