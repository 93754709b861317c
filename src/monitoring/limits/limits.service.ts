import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { KnownHosts } from "../hosts/known-hosts.ts";
import { isVisibleById } from "../places/visible-filters.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import type { Limit } from "./limit.ts";
import { contentReplyOf, limitContentOf, NEW_LIMIT } from "./limit-content.ts";
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
  updateLimit,
} from "./limits.repository.ts";
import type { LimitArguments, LimitCreation, LimitUpdate } from "./limits.schemas.ts";

export const limitExists = declareTaken("limit.exists", "limit");

/** Every value can be held to all of them, hence the bound. */
const MAX_LIMITS = 500;
/** Interval between two steps that end failures, milliseconds. */
export const LIMIT_STEP_MS = 100;
/** Approximate duration of such a step, milliseconds. No messages are stored during a step. */
const STEP_BUDGET_MS = 20;
/** Failures that are ended between two looks at the clock. */
const BATCH = 20;
const DELETED = "the limit was deleted";
const DISABLED = "the limit was disabled";

/**
 * Limits. Everyone sees those that can concern their hosts (limits.queries); administrators change them all, a manager of
 * host groups those about these groups alone.
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

  /** What the audit log says of a limit. @throws ApiError 404 */
  auditState(id: number) {
    return contentReplyOf(found(findLimit(this.db, id), "limit", id));
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
  update({ id, ...given }: LimitUpdate, reach: Reach): void {
    this.#changing(() => {
      const limit = this.#find(id, reach);
      const content = this.#contentOf(given, limit, reach.act);
      if (content.name !== limit.name) this.#refuseTaken(content.name);
      updateLimit(this.db, id, content);
      if (!content.enabled) this.#endSome(limit, DISABLED);
    });
  }

  /** Deletes a limit and ends its failures. @throws ApiError 403, 404 */
  delete(id: number, reach: Reach): void {
    this.#changing(() => {
      if (this.#endSome(this.#find(id, reach), DELETED)) markDeleted(this.db, id);
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
  draft(id: number | undefined, given: LimitArguments, reach: Reach): Limit {
    const before = id === undefined ? NEW_LIMIT : this.#find(id, reach);
    return { ...this.#contentOf(given, before, reach.act), id: id ?? 0 };
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

  /**
   * The limit to change. Whether the caller sees one that they may not change is told by its ids alone; one with names does
   * not exist for them.
   * @throws ApiError 403, 404
   */
  #find(id: number, { view, act }: Reach): Limit {
    const limit = found(findLimit(this.db, id), "limit", id);
    if (isOfGroups(limit.filter, act)) return limit;
    const isVisible = limit.descriptor === "" && isVisibleById(this.db, limit.filter, view);
    throw isVisible ? errors.notGranted() : errors.notFound("limit", id);
  }
}
