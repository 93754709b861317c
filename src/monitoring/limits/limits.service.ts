import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import { defined } from "../../platform/http/list-arguments.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { existingGroups } from "../groups/groups.repository.ts";
import { LIMIT_LEVEL } from "../health/health.ts";
import { existingHosts } from "../hosts/hosts.repository.ts";
import type { KnownHosts } from "../hosts/known-hosts.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import type { Limit, LimitFilter } from "./limit.ts";
import { limitContentOf, NEW_LIMIT } from "./limit-content.ts";
import type { LimitEvaluation } from "./limit-evaluation.service.ts";
import {
  allLimits,
  deleteLimit,
  findEndingLimit,
  findLimit,
  findLimitByName,
  insertLimit,
  type LimitContent,
  markDeleted,
  openFailures,
  updateLimit,
} from "./limits.repository.ts";
import type { LimitArguments, LimitCreation, LimitReply, LimitUpdate } from "./limits.schemas.ts";

export const limitExists = declareTaken("limit.exists", "limit");

/** Every value can be held to all of them, hence the bound. */
const MAX_LIMITS = 500;
const MINUTE = 60;

/** Interval between two steps that end failures, milliseconds. */
export const LIMIT_STEP_MS = 100;
/** Approximate duration of such a step, milliseconds. No messages are stored during a step. */
const STEP_BUDGET_MS = 20;
/** Failures that are ended between two looks at the clock. */
const BATCH = 20;
const DELETED = "the limit was deleted";
const DISABLED = "the limit was disabled";

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

/** The filter without the ids of hosts and groups that are outside the scope. */
function visibleFilter(db: Db, filter: LimitFilter, scope: Scope): LimitFilter {
  if (scope === "all") return filter;
  const { hostids, hostgroupids, ...same } = filter;
  const visible = (ids: number[] | undefined, known: (ids: readonly number[]) => ReadonlySet<number>) => {
    const seen = known(ids ?? []);
    return ids?.filter((id) => seen.has(id));
  };
  return defined<LimitFilter>({
    hostids: visible(hostids, (ids) => existingHosts(db, ids, scope)),
    hostgroupids: visible(hostgroupids, (ids) => existingGroups(db, ids, scope)),
    ...same,
  });
}

/**
 * Limits. Everyone sees them; administrators change them all, a manager of host groups those about these groups
 * alone.
 */
export class Limits {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly evaluation: LimitEvaluation,
    private readonly hostCache: KnownHosts,
    /** Monotonic clock, milliseconds. */
    private readonly monotonic: () => number,
  ) {}

  /**
   * In the order of their creation. Of hosts and groups that the caller does not see, nothing is said.
   * @param reach which hosts the caller sees and manages
   */
  list({ view: scope, act }: Reach): { totalRecords: number; records: LimitReply[] } {
    const open = openFailures(this.db, scope);
    const countOf = (limitId: number, level: number) =>
      open.find((one) => one.limitId === limitId && one.level === level)?.n ?? 0;
    const records = allLimits(this.db).map((limit) => ({
      id: limit.id,
      manage: isOfGroups(limit.filter, act),
      ...contentReplyOf({ ...limit, filter: visibleFilter(this.db, limit.filter, scope) }),
      warnings: countOf(limit.id, LIMIT_LEVEL.warning),
      criticals: countOf(limit.id, LIMIT_LEVEL.critical),
    }));
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 */
  get(id: number, reach: Reach): LimitReply {
    return found(
      this.list(reach).records.find((limit) => limit.id === id),
      "limit",
      id,
    );
  }

  /** @param scope the hosts that the caller manages @returns its id @throws ApiError 400, 403, 409 if the name is taken */
  create(given: LimitCreation, scope: Scope): number {
    return this.#changing(() => {
      const content = this.#contentOf(given, NEW_LIMIT, scope);
      this.#refuseTaken(given.name);
      if (allLimits(this.db).length >= MAX_LIMITS)
        throw errors.badRequest(`There are at most ${MAX_LIMITS} limits; delete one first`);
      return insertLimit(this.db, content);
    });
  }

  /**
   * Changes the given properties. Failures that are open are judged by the new ones with the next message.
   * @throws ApiError 400, 403, 404, 409 if the name is taken
   */
  update({ id, ...given }: LimitUpdate, scope: Scope): void {
    this.#changing(() => {
      const limit = this.#find(id, scope);
      const content = this.#contentOf(given, limit, scope);
      if (content.name !== limit.name) this.#refuseTaken(content.name);
      updateLimit(this.db, id, content);
      if (!content.enabled) this.#endSome(limit, DISABLED);
    });
  }

  /** Deletes a limit and ends its failures. @throws ApiError 403, 404 */
  delete(id: number, scope: Scope): void {
    this.#changing(() => {
      if (this.#endSome(this.#find(id, scope), DELETED)) markDeleted(this.db, id);
      else deleteLimit(this.db, id);
    });
  }

  /**
   * Ends some failures of limits that are deleted or disabled: there can be one on each of thousands of hosts.
   * @returns whether there may be more
   */
  endStep(): boolean {
    if (!findEndingLimit(this.db)) return false;
    return transaction(this.db, () => {
      const ending = findEndingLimit(this.db);
      if (!ending) return false;
      const { limit, isDeleted } = ending;
      if (!this.#endSome(limit, isDeleted ? DELETED : DISABLED) && isDeleted) deleteLimit(this.db, limit.id);
      return true;
    });
  }

  /** Ends failures of a limit for some milliseconds. @returns whether there may be more */
  #endSome(limit: Limit, reason: string): boolean {
    const until = this.monotonic() + STEP_BUDGET_MS;
    for (;;) {
      const hostIds = this.evaluation.endSome(limit, reason, BATCH, this.clock.now());
      for (const id of new Set(hostIds)) this.hostCache.forget(id);
      if (hostIds.length < BATCH) return false;
      if (this.monotonic() >= until) return true;
    }
  }

  /** A limit for a preview: the stored one with changes, or a new one. @throws ApiError 400, 403, 404 */
  draft(id: number | undefined, given: LimitArguments, scope: Scope): Limit {
    const before = id === undefined ? NEW_LIMIT : this.#find(id, scope);
    return { ...this.#contentOf(given, before, scope), id: id ?? 0 };
  }

  #contentOf(given: LimitArguments, before: LimitContent, scope: Scope): LimitContent {
    const content = limitContentOf(this.db, given, before, scope);
    if (!isOfGroups(content.filter, scope)) throw errors.notGranted();
    return content;
  }

  /** Changes limits in one transaction. Every host has to be compared with them anew. */
  #changing<T>(change: () => T): T {
    const result = transaction(this.db, change);
    this.evaluation.forget();
    this.hostCache.forgetAll();
    return result;
  }

  #refuseTaken(name: string): void {
    if (findLimitByName(this.db, name)) throw limitExists(name);
  }

  /** The limit to change. Everyone knows of every limit, so one of others is refused and not denied. */
  #find(id: number, scope: Scope): Limit {
    const limit = found(findLimit(this.db, id), "limit", id);
    if (!isOfGroups(limit.filter, scope)) throw errors.notGranted();
    return limit;
  }
}
