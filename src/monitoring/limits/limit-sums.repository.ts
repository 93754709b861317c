/** Sums of the month, as they are stored every few minutes. */
import { and, asc, desc, eq, getTableColumns, gte, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { deletionOf } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { hosts, limitSums, names } from "../../platform/storage/schema.ts";
import { inScope } from "../scope/scope.repository.ts";

export type LimitSumRow = typeof limitSums.$inferSelect;
export type SumKey = Pick<LimitSumRow, "limitId" | "hostId" | "nameId">;

const ofKey = (key: SumKey) =>
  and(eq(limitSums.limitId, key.limitId), eq(limitSums.hostId, key.hostId), eq(limitSums.nameId, key.nameId));

const ofHost = prepareOnce((db) =>
  db
    .select()
    .from(limitSums)
    .where(eq(limitSums.hostId, sql.placeholder("hostId")))
    .prepare(),
);

/** The stored sums of a host. */
export function sumsOfHost(db: Db, hostId: number): LimitSumRow[] {
  return ofHost(db).all({ hostId });
}

/** Stores the sum of a limit for a service, replacing the previous one. */
export function saveSum(db: Db, row: LimitSumRow): void {
  const { limitId, hostId, nameId } = getTableColumns(limitSums);
  const { monthFrom, countedFrom, sum, at, counters } = row;
  db.insert(limitSums)
    .values(row)
    .onConflictDoUpdate({
      target: [limitId, hostId, nameId],
      set: { monthFrom, countedFrom, sum, at, counters },
    })
    .run();
}

/** Deletes the sum of a limit for a service; does nothing if there is none. */
export function deleteSum(db: Db, key: SumKey): void {
  db.delete(limitSums).where(ofKey(key)).run();
}

/** Deletes some sums of a limit. @returns how many */
export function deleteSomeSums(db: Db, limitId: number, limit: number): number {
  return deletion(db, { limitId, limit });
}

const deletion = deletionOf<{ limitId: number }>(
  limitSums,
  eq(limitSums.limitId, sql.placeholder("limitId")),
);

/**
 * A page of the sums of a limit in the present month on hosts of the scope, the greatest first.
 * @param from when the month began, unix seconds
 */
export function sumsOfLimit(
  db: Db,
  limitId: number,
  from: number,
  scope: Scope,
  { limit, offset }: { limit: number; offset: number },
) {
  const isPresent = and(
    eq(limitSums.limitId, limitId),
    gte(limitSums.monthFrom, from),
    inScope(limitSums.hostId, scope),
  );
  const total = countRows(db, limitSums, isPresent);
  const rows = db
    .select({
      hostId: limitSums.hostId,
      hostname: hosts.hostname,
      service: names.name,
      countedFrom: limitSums.countedFrom,
      sum: limitSums.sum,
      at: limitSums.at,
    })
    .from(limitSums)
    .innerJoin(hosts, eq(hosts.id, limitSums.hostId))
    .innerJoin(names, eq(names.id, limitSums.nameId))
    .where(isPresent)
    .orderBy(desc(limitSums.sum), asc(hosts.hostnameKey), asc(hosts.id), asc(names.nameKey), asc(names.id))
    .limit(limit)
    .offset(offset)
    .all();
  return { total, rows };
}
