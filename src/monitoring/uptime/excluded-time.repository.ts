import { and, asc, eq, gt, isNull, type SQLWrapper, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { excludedIntervals, services } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import type { Interval } from "./intervals.ts";

export type ExcludedReason = (typeof excludedIntervals.$inferSelect)["reason"];

/** The reason why time of a host in this state is excluded; null if it is counted. */
export function excludedReason(host: { status: number; stopped: boolean }): ExcludedReason | null {
  if (host.status === HOST_STATUS.ignored) return "ignored";
  return host.stopped ? "stopped" : null;
}

const { placeholder } = sql;

const statements = prepareOnce((db) => {
  // serviceId is null for the whole host.
  const open = and(
    eq(excludedIntervals.hostId, sql.placeholder("hostId")),
    sql`${excludedIntervals.serviceId} is not distinct from ${sql.placeholder("serviceId")}`,
    isNull(excludedIntervals.endedAt),
  );
  return {
    open: db.select({ reason: excludedIntervals.reason }).from(excludedIntervals).where(open).prepare(),
    end: db
      .update(excludedIntervals)
      .set({ endedAt: sql`${placeholder("at")}` })
      .where(open)
      .prepare(),
    begin: db
      .insert(excludedIntervals)
      .values({
        hostId: sql`${placeholder("hostId")}`,
        serviceId: sql`${placeholder("serviceId")}`,
        reason: placeholder("reason"),
        startedAt: placeholder("at"),
      })
      .prepare(),
  };
});

/**
 * Excludes time of a host, or of one of its services, from `at` on for `reason`. With a null reason, time counts
 * again. There is at most one open interval per host and service.
 */
export function setExcluded(
  db: Db,
  { hostId, serviceId }: { hostId: number; serviceId: number | null },
  reason: ExcludedReason | null,
  at: number,
): void {
  const { open, end, begin } = statements(db);
  const current = open.get({ hostId, serviceId })?.reason ?? null;
  if (current === reason) return;
  if (current) end.run({ hostId, serviceId, at });
  if (reason) begin.run({ hostId, serviceId, reason, at });
}

/**
 * SQL: why a service, by the id of its name, was not monitored at a time; null if it was. The excluded times of a
 * service do not overlap, so the last one that had begun decides.
 */
export function whyUnmonitored(hostId: SQLWrapper, nameId: SQLWrapper, at: SQLWrapper) {
  return sql<string | null>`(select
      case when pause.ended_at is null or pause.ended_at > ${at} then pause.reason end
    from ${excludedIntervals} as pause where pause.host_id = ${hostId} and pause.service_id =
      (select service.id from ${services} as service where service.host_id = ${hostId} and service.name_id = ${nameId})
    and pause.started_at <= ${at} order by pause.started_at desc, pause.id desc limit 1)`;
}

/** Records that Muster did not run, or could not store messages, from `startedAt` to `endedAt`. */
export function addOffTime(db: Db, startedAt: number, endedAt: number): void {
  db.insert(excludedIntervals).values({ reason: "off", startedAt, endedAt }).run();
}

/**
 * The first of the times that `addOffTime` recorded and that have not ended at a time: the clock was ahead when they
 * were recorded.
 * @param at unix seconds
 */
export function firstOffTimeAfter(db: Db, at: number): Interval | undefined {
  const { reason, startedAt, endedAt } = excludedIntervals;
  return db
    .select({ from: startedAt, to: sql<number>`${endedAt}` })
    .from(excludedIntervals)
    .where(and(eq(reason, "off"), gt(endedAt, at)))
    .orderBy(asc(startedAt))
    .limit(1)
    .get();
}

/** Deletes what `addOffTime` recorded. */
export function deleteOffTime(db: Db, { from, to }: Interval): void {
  const { reason, startedAt, endedAt } = excludedIntervals;
  db.delete(excludedIntervals)
    .where(and(eq(reason, "off"), eq(startedAt, from), eq(endedAt, to)))
    .run();
}
