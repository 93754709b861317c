import type { Clock } from "../../platform/clock.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import { LIMIT_LEVEL } from "../health/health.ts";
import { narrowed } from "../places/visible-filters.ts";
import { hasStatistic } from "../places/visible-names.repository.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import type { Limit } from "./limit.ts";
import { LimitPreview } from "./limit-preview.service.ts";
import { allLimits, countLimits, type LimitRow, limitRows, openFailures } from "./limits.repository.ts";
import { limit } from "./limits.schemas.ts";
import { unmatchedLimits } from "./unmatched-limits.ts";

/** Limits as callers see them: those that can concern a host that they see, without what is hidden from them. */
export class LimitReads extends CollectionReads<typeof limit, LimitRow> {
  constructor(db: Db) {
    super(db, limit, limitRows, "rows");
  }

  override isPresent({ deleted }: LimitRow): boolean {
    return !deleted;
  }

  override count(): number {
    return countLimits(this.db);
  }

  override visible(rows: LimitRow[], scope: Scope): LimitRow[] {
    return narrowed(this.db, rows, scope).filter(
      ({ statistics, descriptor, filter }) =>
        descriptor === "" ||
        isOfGroups(filter, scope) ||
        hasStatistic(this.db, statistics, descriptor, scope),
    );
  }

  protected derived({ view, act }: Reach, rows: readonly LimitRow[]) {
    const ids = rows.map(({ id }) => id);
    const failures = openFailures(this.db, ids, view);
    const countOf = (id: number, level: number) =>
      failures.find((row) => row.limitId === id && row.level === level)?.n ?? 0;
    return ({ id, filter }: LimitRow) => ({
      manage: isOfGroups(filter, act),
      warnings: countOf(id, LIMIT_LEVEL.warning),
      criticals: countOf(id, LIMIT_LEVEL.critical),
    });
  }
}

/** Queries of limits that run on a query worker. */
export function limitQueries(db: Db, clock: Clock) {
  const preview = new LimitPreview(db, clock);
  const reads = new LimitReads(db);
  return {
    limitList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    limit: (id: number, reach: Reach) => reads.get(id, reach),
    /** Ids of the enabled limits that the caller manages and that match nothing at present. */
    limitsUnmatched: (scope: Scope) => {
      const limits = allLimits(db).filter(({ enabled, filter }) => enabled && isOfGroups(filter, scope));
      return { ids: unmatchedLimits(db, limits, () => performance.now()).map(({ id }) => id) };
    },
    limitPreview: (previewed: Limit, days: number) => preview.of(previewed, days),
  };
}

export type LimitQueries = AsyncQueries<ReturnType<typeof limitQueries>>;
