import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import { LIMIT_LEVEL } from "../health/health.ts";
import { historyOf, scopeOfHistory } from "../past/past.ts";
import { narrowed } from "../places/visible-filters.ts";
import { hasStatistic } from "../places/visible-names.repository.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import type { Limit } from "./limit.ts";
import { LimitPreview } from "./limit-preview.service.ts";
import { sumsOfLimit } from "./limit-sums.repository.ts";
import { allLimits, countLimits, countOpenFailures, type LimitRow, limitRows } from "./limits.repository.ts";
import { limit, type SumsArguments } from "./limits.schemas.ts";
import { Months, outlookOf } from "./month-sum.ts";
import { unmatchedLimits } from "./unmatched-limits.ts";

/** Limits as callers see them: those that can apply to a host that they see. What is hidden from them is left out. */
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
        // Which descriptors a user sees is judged as of today, as their rights are.
        hasStatistic(historyOf(this.db), statistics, descriptor, scopeOfHistory(scope)),
    );
  }

  protected derived({ view, act }: Reach, rows: readonly LimitRow[]) {
    const ids = rows.map(({ id }) => id);
    const failures = countOpenFailures(this.db, ids, view);
    const countOf = (id: number, level: number) =>
      failures.find((row) => row.limitId === id && row.level === level)?.n ?? 0;
    return ({ id, filter }: LimitRow) => ({
      manage: isOfGroups(filter, act),
      warnings: countOf(id, LIMIT_LEVEL.warning),
      criticals: countOf(id, LIMIT_LEVEL.critical),
    });
  }
}

type Sum = ReturnType<typeof sumsOfLimit>["rows"][number];

function sumReply({ warning, critical }: Limit, row: Sum, monthTo: number, now: number) {
  const { hostId: hostid, hostname, service: servicename, sum, countedFrom: from, at } = row;
  const { atEnd: atend, reaches } = outlookOf(row, monthTo);
  const reachedAt = (bound: number | null) => {
    const when = bound === null ? null : reaches(bound);
    // If a host no longer reports, an outlook on a time that has passed says nothing.
    return when !== null && when > now ? when : null;
  };
  const bounds = { warningat: reachedAt(warning), criticalat: reachedAt(critical) };
  return { hostid, hostname, servicename, sum, from, at, atend, ...bounds };
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
    /** The sums of the month of a limit. @throws ApiError 404, 400 if the limit adds up no month */
    limitSums: (args: SumsArguments, scope: Scope) => {
      const [row] = reads.visible([found(limitRows.find(db, args.id), "limit", args.id)], scope);
      const limit = found(row && reads.isPresent(row) ? row : undefined, "limit", args.id);
      if (limit.period !== "month") throw errors.badArgument("id", "the id of a limit on monthly sums");
      const now = clock.now();
      const month = new Months(limit.timezone).holding(now);
      const { results: pageSize, startindex: startIndex } = args;
      const page = { limit: pageSize, offset: startIndex };
      const { total: totalRecords, rows } = sumsOfLimit(db, limit.id, month.from, scope, page);
      const records = rows.map((sum) => sumReply(limit, sum, month.to, now));
      const { from: datefrom, to: dateto } = month;
      return { ...pageOf(records, { pageSize, totalRecords, startIndex }), datefrom, dateto };
    },
    limitPreview: (previewed: Limit, days: number) => preview.of(previewed, days),
  };
}

export type LimitQueries = AsyncQueries<ReturnType<typeof limitQueries>>;
