/** Builds a limit from arguments on top of its previous content. */
import { errors } from "../../platform/http/errors.ts";
import { defined, replaced } from "../../platform/http/list-arguments.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { placeFilterOf } from "../places/place-filter-arguments.ts";
import type { Limit, LimitFilter } from "./limit.ts";
import { firstBound } from "./limit-state.ts";
import type { LimitContent } from "./limits.repository.ts";
import type { LimitArguments, LimitReply } from "./limits.schemas.ts";

const MINUTE = 60;

/** Defaults of a new limit: of any value above its own, at once. */
export const NEW_LIMIT: LimitContent = {
  name: "",
  enabled: true,
  statistics: [],
  descriptor: "",
  perProcessor: false,
  filter: {},
  below: false,
  warning: null,
  critical: null,
  hold: 0,
  clearValue: null,
  clearAfter: 0,
  missing: "keep",
  downtime: false,
  note: "",
  runbook: "",
};

/** The content of a limit as the API shows it. */
export function contentReplyOf(
  limit: Omit<Limit, "id">,
): Omit<LimitReply, "id" | "manage" | "warnings" | "criticals"> {
  const { name, enabled, descriptor, filter, warning, critical, missing, downtime, note, runbook } = limit;
  return {
    name,
    enabled,
    statistics: [...limit.statistics],
    descriptor,
    perprocessor: limit.perProcessor,
    filter,
    direction: limit.below ? "below" : "above",
    warning,
    critical,
    minutes: limit.hold / MINUTE,
    clearvalue: limit.clearValue,
    clearminutes: limit.clearAfter / MINUTE,
    missing,
    downtime,
    note,
    runbook,
  };
}

function filterOf(db: Db, given: LimitArguments, before: LimitFilter, scope: Scope): LimitFilter {
  return defined<LimitFilter>({
    ...placeFilterOf(db, given, before, scope),
    hostnames: replaced(given.hostname, before.hostnames),
    servicetypes: replaced(given.servicetype, before.servicetypes),
  });
}

function boundOf(given: number | "" | undefined, before: number | null): number | null {
  if (given === undefined) return before;
  return given === "" ? null : given;
}

/** @throws ApiError 400 if the values contradict each other */
function check({ statistics, below, warning, critical, clearValue }: LimitContent): void {
  if (statistics.length === 0) throw errors.missingArgument("statistic", "the code of a statistic type");
  const bound = firstBound({ warning, critical });
  if (bound === null) throw errors.missingArgument("warning", "a value, unless critical is given");
  const side = below ? "below" : "above";
  const isBefore = (one: number, other: number) => (below ? one > other : one < other);
  if (warning !== null && critical !== null && !isBefore(warning, critical))
    throw errors.badArgument("critical", `${side} the value of the warning`);
  if (clearValue !== null && isBefore(bound, clearValue))
    throw errors.badArgument(
      "clearvalue",
      `at or ${below ? "above" : "below"} the value that opens a failure`,
    );
}

function secondsOf(minutes: number | undefined, before: number): number {
  return minutes === undefined ? before : minutes * MINUTE;
}

/**
 * Builds a limit from arguments on top of the previous one.
 * @param scope the hosts and groups that the limit may name; others are treated as if they did not exist
 * @throws ApiError 400 that names the argument
 */
export function limitContentOf(
  db: Db,
  given: LimitArguments,
  before: LimitContent,
  scope: Scope,
): LimitContent {
  const content: LimitContent = {
    name: given.name ?? before.name,
    enabled: given.enabled ?? before.enabled,
    statistics: given.statistic ? [...new Set(given.statistic)] : before.statistics,
    descriptor: given.descriptor ?? before.descriptor,
    perProcessor: given.perprocessor ?? before.perProcessor,
    filter: filterOf(db, given, before.filter, scope),
    below: given.direction === undefined ? before.below : given.direction === "below",
    warning: boundOf(given.warning, before.warning),
    critical: boundOf(given.critical, before.critical),
    hold: secondsOf(given.minutes, before.hold),
    clearValue: boundOf(given.clearvalue, before.clearValue),
    clearAfter: secondsOf(given.clearminutes, before.clearAfter),
    missing: given.missing ?? before.missing,
    downtime: given.downtime ?? before.downtime,
    note: given.note ?? before.note,
    runbook: given.runbook ?? before.runbook,
  };
  check(content);
  return content;
}
