import type { Clock } from "../../platform/clock.ts";
import { found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { LIMIT_LEVEL } from "../health/health.ts";
import { narrowed } from "../places/visible-filters.ts";
import { hasStatistic } from "../places/visible-names.repository.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import type { Limit } from "./limit.ts";
import { contentReplyOf } from "./limit-content.ts";
import { allLimits, openFailures } from "./limits.repository.ts";
import type { LimitReply } from "./limits.schemas.ts";
import { LimitPreview } from "./preview.service.ts";

/**
 * The limits that can concern a host that the caller sees, in the order of their creation, without the hosts, groups and
 * names that the caller does not see.
 * @param reach which hosts the caller sees and manages
 */
function visibleLimits(db: Db, { view: scope, act }: Reach): LimitReply[] {
  const failures = openFailures(db, scope);
  const countOf = (limitId: number, level: number) =>
    failures.find((row) => row.limitId === limitId && row.level === level)?.n ?? 0;
  const limits = narrowed(db, allLimits(db), scope).filter(
    ({ statistics, descriptor, filter }) =>
      descriptor === "" || isOfGroups(filter, scope) || hasStatistic(db, statistics, descriptor, scope),
  );
  return limits.map((limit) => ({
    id: limit.id,
    manage: isOfGroups(limit.filter, act),
    ...contentReplyOf(limit),
    warnings: countOf(limit.id, LIMIT_LEVEL.warning),
    criticals: countOf(limit.id, LIMIT_LEVEL.critical),
  }));
}

/** Queries of limits that run on a query worker. */
export function limitQueries(db: Db, clock: Clock) {
  const preview = new LimitPreview(db, clock);
  return {
    limitList: (reach: Reach) => {
      const records = visibleLimits(db, reach);
      return { totalRecords: records.length, records };
    },
    /** @throws ApiError 404 */
    limit: (id: number, reach: Reach) => {
      const limit = visibleLimits(db, reach).find((reply) => reply.id === id);
      return found(limit, "limit", id);
    },
    limitPreview: (limit: Limit, days: number) => preview.of(limit, days),
  };
}

export type LimitQueries = AsyncQueries<ReturnType<typeof limitQueries>>;
