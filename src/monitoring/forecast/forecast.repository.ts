import { and, asc, count, eq, gt, inArray, isNull, lte, ne, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { forecasts, hosts, names, services, statistics } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import { inScope, membersOf } from "../scope/scope.repository.ts";
import { isTagged } from "../tags/tags.repository.ts";

export type StoredForecast = typeof forecasts.$inferSelect;

/** The first host with an id above `after` that was created by `createdBy`, unix seconds; null if there is none. */
export function nextHost(db: Db, after: number, createdBy: number): number | null {
  const next = db.select({ id: hosts.id }).from(hosts).orderBy(asc(hosts.id)).limit(1);
  return next.where(and(gt(hosts.id, after), lte(hosts.createdAt, createdBy))).get()?.id ?? null;
}

/** The stored forecasts of a host. */
export function forecastsOf(db: Db, hostId: number): StoredForecast[] {
  return db.select().from(forecasts).where(eq(forecasts.hostId, hostId)).all();
}

/** Replaces the forecasts of a host. Forecasts of statistics that have been deleted are left out. */
export function storeForecasts(db: Db, hostId: number, rows: readonly StoredForecast[]): void {
  db.delete(forecasts).where(eq(forecasts.hostId, hostId)).run();
  const ids = rows.map(({ statisticId }) => statisticId);
  const existing = db.select({ id: statistics.id }).from(statistics).where(inArray(statistics.id, ids)).all();
  const present = new Set(existing.map(({ id }) => id));
  for (const row of rows) if (present.has(row.statisticId)) db.insert(forecasts).values(row).run();
}

export interface ForecastFilter {
  scope: Scope;
  hostid?: number[] | undefined;
  hostgroupid?: number[] | undefined;
  tag?: readonly string[] | undefined;
  /** Only forecasts that were calculated later, unix seconds. */
  calculatedAfter: number;
  /** Only forecasts that reach 100 % by this time, unix seconds. */
  until?: number | undefined;
}

function selection({ hostid, hostgroupid, tag, calculatedAfter, until, scope }: ForecastFilter) {
  return and(
    inScope(forecasts.hostId, scope),
    ne(hosts.status, HOST_STATUS.ignored),
    isNull(services.vanishedAt),
    gt(forecasts.calculatedAt, calculatedAfter),
    hostid && inArray(forecasts.hostId, hostid),
    hostgroupid && sql`${forecasts.hostId} in (${membersOf(hostgroupid)})`,
    tag && isTagged(forecasts.hostId, tag),
    until === undefined ? undefined : lte(forecasts.fullAt, until),
  );
}

/**
 * Stored forecasts by date, without those of ignored hosts and vanished services. Read through the index
 * forecasts_by_date; those of some hosts or groups through forecasts_by_host.
 */
export function listForecasts(db: Db, filter: ForecastFilter, limit: number, offset: number) {
  return db
    .select({
      forecast: forecasts,
      hostname: hosts.hostname,
      serviceid: services.id,
      servicename: names.name,
      type: statistics.type,
    })
    .from(forecasts)
    .innerJoin(hosts, eq(hosts.id, forecasts.hostId))
    .innerJoin(statistics, eq(statistics.id, forecasts.statisticId))
    .innerJoin(services, eq(services.id, statistics.serviceId))
    .innerJoin(names, eq(names.id, services.nameId))
    .where(selection(filter))
    .orderBy(asc(forecasts.fullAt), asc(forecasts.statisticId))
    .limit(limit)
    .offset(offset)
    .all();
}

/** Number of stored forecasts that match the filter, without those of ignored hosts and vanished services. */
export function countForecasts(db: Db, filter: ForecastFilter): number {
  const counted = db
    .select({ n: count() })
    .from(forecasts)
    .innerJoin(hosts, eq(hosts.id, forecasts.hostId))
    .innerJoin(statistics, eq(statistics.id, forecasts.statisticId))
    .innerJoin(services, eq(services.id, statistics.serviceId))
    .where(selection(filter))
    .get();
  return counted?.n ?? 0;
}
