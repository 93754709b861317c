/** The steps of a rule as the API has them: with login names, in one JSON text, or by the arguments of two steps. */
import * as v from "valibot";
import { allUsers } from "../../accounts/users/users.repository.ts";
import { errors } from "../../platform/http/errors.ts";
import { rejectUnknownIds } from "../../platform/http/list-arguments.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { id, integer, itemsOf } from "../../platform/http/validate.ts";
import type { Db } from "../../platform/storage/open.ts";
import { existingChannels, existingSchedules, type RuleStep } from "./rules.repository.ts";
import { MAX_MINUTES, type RuleArguments } from "./rules.schemas.ts";

/** Most steps of a rule, and most channels, users or schedules in one. */
const MAX_STEPS = 20;
const MAX_NAMED = 100;

const few = <T extends v.GenericSchema>(item: T) =>
  v.optional(v.pipe(v.array(item), v.maxLength(MAX_NAMED)), []);

const stepSchema = v.strictObject({
  after: integer(0, MAX_MINUTES),
  channels: few(id),
  users: few(v.string()),
  schedules: few(id),
});
const stepList = v.pipe(v.array(stepSchema), v.minLength(1), v.maxLength(MAX_STEPS));
/** A step with login names in place of ids. */
export type NamedStep = v.InferOutput<typeof stepSchema>;

const ALLOWED = `a JSON array of 1 to ${MAX_STEPS} steps, each with after and channels, users or schedules`;

export const isEmpty = ({ channels, users, schedules }: RuleStep): boolean =>
  channels.length + users.length + schedules.length === 0;

/** The items once each, in order. */
export function unique<T extends string | number>(items: readonly T[]): T[] {
  return [...new Set(items)].sort((a, b) => (a < b ? -1 : 1));
}

function parsedSteps(json: string): NamedStep[] {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) throw errors.badArgument("steps", ALLOWED);
    throw error;
  }
  const result = v.safeParse(stepList, given, { abortEarly: true });
  if (result.success) return result.output;
  const place = result.issues[0].path?.map(({ key }) => String(key)).join(".");
  throw errors.badArgument("steps", place ? `${ALLOWED}; look at ${place}` : ALLOWED);
}

function userIds(db: Db, steps: readonly NamedStep[]): Map<string, number> {
  const ids = new Map(allUsers(db).map((user) => [user.uname, user.id]));
  const unknown = steps.flatMap(({ users }) => users).find((uname) => !ids.has(uname));
  if (unknown !== undefined)
    throw errors.badArgument("steps", `about users that exist; there is no user ${unknown}`);
  return ids;
}

function stepsIn(json: string, before: readonly RuleStep[], { db, scope }: StepContext): RuleStep[] {
  const named = parsedSteps(json);
  const ids = userIds(db, named);
  const steps = named.map(({ after, channels, users, schedules }) => ({
    after,
    channels: unique(channels),
    users: unique(users.flatMap((uname) => ids.get(uname) ?? [])),
    schedules: unique(schedules),
  }));
  const channels = (all: readonly RuleStep[]) => all.flatMap((step) => step.channels);
  const schedules = (all: readonly RuleStep[]) => all.flatMap((step) => step.schedules);
  rejectUnknownIds("steps", "channel", channels(steps), channels(before), (some) =>
    existingChannels(db, some, scope),
  );
  rejectUnknownIds("steps", "schedule", schedules(steps), [], (some) => existingSchedules(db, some));
  if (steps[0]?.after !== 0) throw errors.badArgument("steps", "steps of which the first has after 0");
  if (steps.some(({ after }, i) => i > 0 && after <= (steps[i - 1]?.after ?? 0)))
    throw errors.badArgument("steps", "steps of which each has a greater after than the one before");
  if (steps.some((step, i) => i > 0 && isEmpty(step)))
    throw errors.badArgument("steps", "steps that each name a channel, a user or a schedule");
  return steps;
}

export interface StepContext {
  db: Db;
  /** The hosts that the user who changes the rule manages. */
  scope: Scope;
}

function channelsOf(
  argument: "channelid" | "escalationchannelid",
  given: RuleArguments,
  before: number[],
  { db, scope }: StepContext,
): number[] {
  const asked = given[argument];
  const ids = asked === undefined ? before : unique(itemsOf(asked));
  rejectUnknownIds(argument, "channel", ids, before, (some) => existingChannels(db, some, scope));
  return ids;
}

/** The second step as escalateafter and escalationchannelid have it, and those after it; none if both are empty. */
function escalationOf(given: RuleArguments, before: readonly RuleStep[], context: StepContext): RuleStep[] {
  const [second, ...others] = before;
  if (given.escalateafter === undefined && given.escalationchannelid === undefined) return [...before];
  const after = given.escalateafter ?? second?.after ?? 0;
  const channels = channelsOf("escalationchannelid", given, second?.channels ?? [], context);
  if (after === 0 && channels.length === 0) return [];
  const step = { users: [], schedules: [], ...second, after, channels };
  if (isEmpty(step))
    throw errors.missingArgument("escalationchannelid", "the channels to escalate to after escalateafter");
  if (after === 0)
    throw errors.badArgument("escalateafter", "above 0 where there are channels to escalate to");
  if (others[0] && others[0].after <= after)
    throw errors.badArgument("escalateafter", "below the minutes of the step after it");
  return [step, ...others];
}

/**
 * The steps of a rule on top of the previous ones.
 * @throws ApiError 400 that names the argument
 */
export function stepsOf(given: RuleArguments, before: readonly RuleStep[], context: StepContext): RuleStep[] {
  const single = [given.channelid, given.escalateafter, given.escalationchannelid];
  if (given.steps !== undefined) {
    if (single.some((argument) => argument !== undefined))
      throw errors.badArgument("steps", "left out with channelid, escalateafter or escalationchannelid");
    return stepsIn(given.steps, before, context);
  }
  const [first = { after: 0, channels: [], users: [], schedules: [] }, ...others] = before;
  const channels = channelsOf("channelid", given, first.channels, context);
  return [{ ...first, channels }, ...escalationOf(given, others, context)];
}

/** Steps with login names. */
export function namedSteps(db: Db, steps: readonly RuleStep[]): NamedStep[] {
  const names = steps.some(({ users }) => users.length > 0)
    ? new Map(allUsers(db).map((user) => [user.id, user.uname]))
    : new Map<number, string>();
  return steps.map((step) => ({
    ...step,
    users: step.users.flatMap((userId) => names.get(userId) ?? []),
  }));
}
