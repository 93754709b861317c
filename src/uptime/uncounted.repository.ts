import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "../database/open.ts";
import { uncountedIntervals } from "../database/schema.ts";
import { HOST_STATUS } from "../status/health.ts";

export type UncountedReason = (typeof uncountedIntervals.$inferSelect)["reason"];

/** Why a host in this state does not count now; null if it does. */
export function uncountedReason(host: { status: number; stopped: boolean }): UncountedReason | null {
  if (host.status === HOST_STATUS.ignored) return "ignored";
  return host.stopped ? "stopped" : null;
}

function insert(db: Db, row: typeof uncountedIntervals.$inferInsert): void {
  db.insert(uncountedIntervals).values(row).run();
}

/**
 * From `at` on the host (or, with `serviceId`, one service of it) does not count for `reason`; null: it counts again.
 * At most one interval of each is open.
 */
export function setUncounted(
  db: Db,
  hostId: number,
  serviceId: number | null,
  reason: UncountedReason | null,
  at: number,
): void {
  const open = and(
    eq(uncountedIntervals.hostId, hostId),
    serviceId === null ? isNull(uncountedIntervals.serviceId) : eq(uncountedIntervals.serviceId, serviceId),
    isNull(uncountedIntervals.endedAt),
  );
  const current = db.select({ reason: uncountedIntervals.reason }).from(uncountedIntervals).where(open).get();
  if ((current?.reason ?? null) === reason) return;
  if (current) db.update(uncountedIntervals).set({ endedAt: at }).where(open).run();
  if (reason) insert(db, { hostId, serviceId, reason, startedAt: at });
}

/** Muster itself did not run, or could not, from `startedAt` to `endedAt`. */
export function addOffTime(db: Db, startedAt: number, endedAt: number): void {
  insert(db, { reason: "off", startedAt, endedAt });
}
