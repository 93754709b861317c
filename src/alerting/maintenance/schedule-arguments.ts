import { errors } from "../../platform/http/errors.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import type { ScheduleArguments } from "./maintenance.schemas.ts";
import type { Schedule } from "./schedule.ts";

type Once = Extract<Schedule, { kind: "once" }>;
type Weekly = Extract<Schedule, { kind: "weekly" }>;

function once(given: ScheduleArguments, before: Once | null): Once {
  const { from = before?.from, to = before?.to } = given;
  if (from === undefined) throw errors.missingArgument("from", "when the maintenance begins");
  if (to === undefined) throw errors.missingArgument("to", "when the maintenance ends");
  if (from >= to) throw errors.badArgument("from", "before to");
  return { kind: "once", from, to };
}

function weekly(given: ScheduleArguments, before: Weekly | null, timezone: string): Weekly {
  const days = given.days === undefined ? before?.days : itemsOf(given.days);
  const { timeofday: from = before?.from, minutes = before?.minutes } = given;
  if (days === undefined || days.length === 0)
    throw errors.missingArgument("days", "the days of the week on which the maintenance begins");
  if (from === undefined) throw errors.missingArgument("timeofday", "when on these days it begins");
  if (minutes === undefined) throw errors.missingArgument("minutes", "for how long it lasts");
  return {
    kind: "weekly",
    days: [...new Set(days)].sort((a, b) => a - b),
    from,
    minutes,
    timezone: given.timezone ?? before?.timezone ?? timezone,
  };
}

/**
 * Builds a schedule from arguments on top of the previous one: either once (from and to) or weekly.
 * @param timezone used by a weekly schedule that names none
 * @throws ApiError 400 that names the argument
 */
export function scheduleOf(given: ScheduleArguments, before: Schedule | null, timezone: string): Schedule {
  const isOnce = given.from !== undefined || given.to !== undefined;
  const recurring = (["days", "timeofday", "minutes", "timezone"] as const).filter(
    (name) => given[name] !== undefined && !(name === "days" && itemsOf(given.days ?? []).length === 0),
  );
  const [first] = recurring;
  if (isOnce && first !== undefined)
    throw errors.badArgument(first, "left out with from and to: maintenance is either once or weekly");
  if (isOnce) return once(given, before?.kind === "once" ? before : null);
  if (first !== undefined || given.days !== undefined)
    return weekly(given, before?.kind === "weekly" ? before : null, timezone);
  if (before) return before;
  throw errors.missingArgument("from", "when the maintenance begins; or days, for one that recurs");
}
