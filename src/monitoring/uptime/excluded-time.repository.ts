import { and, eq, isNull, sql } from "drizzle-orm";
import { bound, type Db, prepareOnce } from "../../platform/storage/open.ts";
import { excludedIntervals } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";

export type ExcludedReason = (typeof excludedIntervals.$inferSelect)["reason"];

/** Why a host in this state does not count now; null if it does. */
export function excludedReason(host: { status: number; stopped: boolean }): ExcludedReason | null {
  if (host.status === HOST_STATUS.ignored) return "ignored";
  return host.stopped ? "stopped" : null;
}

const { placeholder } = sql;

const statements = prepareOnce((db) => {
  // "is", as the service may be null: then it is the whole host.
  const open = and(
    eq(excludedIntervals.hostId, bound("hostId")),
    sql`${excludedIntervals.serviceId} is ${bound("serviceId")}`,
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
 * From `at` on the host (or, with `serviceId`, one service of it) does not count for `reason`; null: it counts again.
 * At most one interval of each is open.
 */
export function setExcluded(
  db: Db,
  hostId: number,
  serviceId: number | null,
  reason: ExcludedReason | null,
  at: number,
): void {
  const { open, end, begin } = statements(db);
  const current = open.get({ hostId, serviceId })?.reason ?? null;
  if (current === reason) return;
  if (current) end.run({ hostId, serviceId, at });
  if (reason) begin.run({ hostId, serviceId, reason, at });
}

/** Muster itself did not run, or could not, from `startedAt` to `endedAt`. */
export function addOffTime(db: Db, startedAt: number, endedAt: number): void {
  db.insert(excludedIntervals).values({ reason: "off", startedAt, endedAt }).run();
}
