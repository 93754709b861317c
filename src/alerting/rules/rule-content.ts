/** Builds a rule from arguments on top of its previous content. */

import { errors } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import type { Db } from "../../platform/storage/open.ts";
import { eventFilterOf } from "./filters.ts";
import type { QuietHours } from "./quiet-hours.ts";
import { stepsOf, unique } from "./rule-steps.ts";
import type { RuleContent } from "./rules.repository.ts";
import type { RuleArguments } from "./rules.schemas.ts";

const EVERY_DAY: readonly number[] = [0, 1, 2, 3, 4, 5, 6];

/** Defaults of a new rule: all failures and changes, at once, with recoveries. */
export const NEW_RULE: RuleContent = {
  name: "",
  enabled: true,
  filter: {},
  delay: 0,
  repeat: 0,
  recovery: true,
  final: false,
  quietHours: null,
  flapCount: 3,
  flapWindow: 10,
  steps: [{ after: 0, channels: [], users: [], schedules: [] }],
};

function quietHoursOf(given: RuleArguments, before: QuietHours | null, timezone: string): QuietHours | null {
  const { quietdays, quietfrom, quietto } = given;
  const times = [quietfrom, quietto].filter((time) => time !== undefined);
  if (times.length > 0 && times.every((time) => time === "")) return null;
  const days = itemsOf(quietdays ?? []);
  if (!before && times.length === 0 && days.length === 0) return null;
  const from = quietfrom ?? before?.from ?? "";
  const to = quietto ?? before?.to ?? "";
  if (from === "") throw errors.missingArgument("quietfrom", "the time of day at which quiet hours begin");
  if (to === "") throw errors.missingArgument("quietto", "the time of day at which quiet hours end");
  return {
    days: quietdays === undefined && before ? before.days : days.length > 0 ? unique(days) : [...EVERY_DAY],
    from,
    to,
    timezone: given.quiettimezone ?? before?.timezone ?? timezone,
  };
}

export interface RuleContext {
  db: Db;
  /** The hosts that the user who changes the rule manages. */
  scope: Scope;
  /** Used by quiet hours that name none. */
  timezone: string;
}

/**
 * Builds a rule from arguments on top of the previous one.
 * @throws ApiError 400 that names the argument
 */
export function ruleContentOf(
  given: RuleArguments & { name?: string | undefined },
  before: RuleContent,
  { db, scope, timezone }: RuleContext,
): RuleContent {
  return {
    name: given.name ?? before.name,
    enabled: given.enabled ?? before.enabled,
    filter: eventFilterOf(db, given, before.filter, scope),
    delay: given.delay ?? before.delay,
    repeat: given.repeat ?? before.repeat,
    recovery: given.recovery ?? before.recovery,
    final: given.final ?? before.final,
    quietHours: quietHoursOf(given, before.quietHours, timezone),
    flapCount: given.flapcount ?? before.flapCount,
    flapWindow: given.flapwindow ?? before.flapWindow,
    steps: stepsOf(given, before.steps, { db, scope }),
  };
}
