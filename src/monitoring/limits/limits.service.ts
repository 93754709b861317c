import { COUNTERS, STATISTIC_UNITS } from "../../monit/statistic-types.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { KnownHosts } from "../hosts/known-hosts.ts";
import { isVisibleById } from "../places/visible-filters.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import type { LimitEvaluation } from "./limit-evaluation.service.ts";
import { firstBound } from "./limit-state.ts";
import { deleteSomeSums } from "./limit-sums.repository.ts";
import { LimitReads } from "./limits.queries.ts";
import { findEndingLimit, type LimitRow, limitRows } from "./limits.repository.ts";
import type { limit } from "./limits.schemas.ts";

export const limitExists = declareTaken("limit.exists", "limit");

/** Every value can be compared with all limits, hence the bound. */
const MAX_LIMITS = 500;

/** Interval between two steps that end failures, milliseconds. */
export const LIMIT_STEP_MS = 100;
/** Approximate duration of such a step, milliseconds. No messages are stored during a step. */
const STEP_BUDGET_MS = 20;
/** Failures that are ended between two checks of the time. */
const BATCH = 20;
/** Sums of the month that are deleted in one step. */
const SUMS = 500;
const DELETED = "the limit was deleted";
const DISABLED = "the limit was disabled";

type LimitContent = ContentOf<typeof limit>;

/** @throws ApiError 400 if the values contradict each other */
function refuseContradiction({ direction, warning, critical, clearvalue }: LimitContent): void {
  const bound = firstBound({ warning, critical });
  if (bound === null) throw errors.missingArgument("warning", "a value, unless critical is given");
  const isBefore = (value: number, other: number) => (direction === "below" ? value > other : value < other);
  if (warning !== null && critical !== null && !isBefore(warning, critical))
    throw errors.badArgument("critical", `${direction} the value of the warning`);
  if (clearvalue !== null && isBefore(bound, clearvalue)) {
    const side = direction === "below" ? "above" : "below";
    throw errors.badArgument("clearvalue", `at or ${side} the value that opens a failure`);
  }
}

const counters = [...COUNTERS].join(", ");

/** @throws ApiError 400 if the fields cannot be those of a limit on a month's sum */
function refuseNoCounters({ period, statistics, direction, perprocessor }: LimitContent): void {
  if (period !== "month") return;
  const units = new Set(statistics.map((code) => STATISTIC_UNITS[code]));
  if (!statistics.every((code) => COUNTERS.has(code)) || units.size > 1)
    throw errors.badArgument("statistics", `counters of one unit, to add up a month: of ${counters}`);
  if (direction === "below") throw errors.badArgument("direction", "above, for a sum that only grows");
  if (perprocessor) throw errors.badArgument("perprocessor", "false, to add up a month");
}

interface LimitParts {
  db: Db;
  references: References;
  clock: Clock;
  evaluation: LimitEvaluation;
  hostCache: KnownHosts;
  /** Monotonic clock, milliseconds. */
  monotonic: () => number;
}

/**
 * Limits. Everyone sees those that can concern their hosts (limits.queries). Administrators change all of them, a
 * manager of host groups only those about these groups.
 */
export class Limits extends Collection<typeof limit, LimitRow> {
  readonly #parts: LimitParts;

  constructor(parts: LimitParts) {
    const { db, references, clock } = parts;
    super({
      reads: new LimitReads(db),
      references,
      taken: limitExists,
      maxObjects: MAX_LIMITS,
      recorded: { kind: "limits", clock },
    });
    this.#parts = parts;
  }

  protected columnsOf(content: LimitContent, before: LimitRow | null): Omit<LimitRow, "id"> {
    refuseContradiction(content);
    refuseNoCounters(content);
    return { ...content, deleted: before?.deleted ?? false };
  }

  protected override mayChange({ filter }: LimitContent, scope: Scope): boolean {
    return isOfGroups(filter, scope);
  }

  protected override isKnown({ descriptor, filter }: LimitContent, view: Scope): boolean {
    return descriptor === "" && isVisibleById(this.#parts.db, filter, view);
  }

  protected override updated(row: LimitRow, columns: Omit<LimitRow, "id">, content: LimitContent): void {
    super.updated(row, columns, content);
    if (!content.enabled) this.#endSome(row, DISABLED);
  }

  /**
   * Ends the failures of the limit first, and deletes its sums. There can be thousands of both, so `endStep` continues
   * and deletes the row with the last ones.
   */
  protected override deleted(row: LimitRow): void {
    if (this.#clearSome(row)) limitRows.update(this.#parts.db, row.id, { deleted: true });
    else super.deleted(row);
  }

  /** Makes the next messages compare every host with the limits anew. */
  protected override changing<T>(change: () => T): T {
    const result = super.changing(change);
    this.#parts.evaluation.forget();
    this.#parts.hostCache.forgetAll();
    return result;
  }

  /**
   * Ends some failures of limits that are deleted or disabled: there can be one on each of thousands of hosts.
   * @returns whether there may be more
   */
  endStep(): boolean {
    const { db } = this.#parts;
    if (!findEndingLimit(db)) return false;
    return transaction(db, () => {
      const ending = findEndingLimit(db);
      if (!ending) return false;
      if (!ending.deleted) this.#endSome(ending, DISABLED);
      else if (!this.#clearSome(ending)) super.deleted(ending);
      return true;
    });
  }

  /**
   * Ends some failures of a deleted limit or, without any, deletes some of its sums.
   * @returns whether there may be more
   */
  #clearSome(limit: LimitRow): boolean {
    return this.#endSome(limit, DELETED) || deleteSomeSums(this.#parts.db, limit.id, SUMS) === SUMS;
  }

  /** Ends failures of a limit for some milliseconds. @returns whether there may be more */
  #endSome(limit: LimitRow, reason: string): boolean {
    const { clock, evaluation, hostCache, monotonic } = this.#parts;
    const until = monotonic() + STEP_BUDGET_MS;
    for (;;) {
      const hostIds = evaluation.endSome(limit, reason, BATCH, clock.now());
      for (const id of new Set(hostIds)) hostCache.forget(id);
      if (hostIds.length < BATCH) return false;
      if (monotonic() >= until) return true;
    }
  }
}
