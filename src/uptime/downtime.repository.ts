import { and, asc, desc, eq, gte, isNull, lte, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../database/open.ts";
import { downtimeIntervals, events, silentRecoveries } from "../database/schema.ts";
import { HEARTBEAT, MONIT_SERVICE } from "../events/event-types.ts";
import { nameIdOf } from "../events/events.repository.ts";

/** What can fail by itself: one event class of one service of one host. */
export interface Check {
  hostId: number;
  nameId: number;
  eventType: number;
}

export type DowntimeInterval = typeof downtimeIntervals.$inferSelect;
export type NewDowntimeInterval = typeof downtimeIntervals.$inferInsert;

export function ofCheck<T extends typeof downtimeIntervals | typeof events | typeof silentRecoveries>(
  table: T,
  check: Check,
) {
  return and(
    eq(table.hostId, check.hostId),
    eq(table.nameId, check.nameId),
    eq(table.eventType, check.eventType),
  );
}

/** Whether it is the host itself that is silent, not one of its services that fails. */
export function isSilence(db: Db, { nameId, eventType }: DowntimeInterval): boolean {
  return eventType === HEARTBEAT && nameId === nameIdOf(db, MONIT_SERVICE);
}

/** The newest interval that began at `date` or before. */
export function intervalBefore(db: Db, check: Check, date: number): DowntimeInterval | undefined {
  return db
    .select()
    .from(downtimeIntervals)
    .where(and(ofCheck(downtimeIntervals, check), lte(downtimeIntervals.startedAt, date)))
    .orderBy(desc(downtimeIntervals.startedAt))
    .limit(1)
    .get();
}

const openIntervals = prepareOnce((db) =>
  db
    .select()
    .from(downtimeIntervals)
    .where(and(eq(downtimeIntervals.hostId, sql.placeholder("hostId")), isNull(downtimeIntervals.endedAt)))
    .prepare(),
);

export function openIntervalsOfHost(db: Db, hostId: number): DowntimeInterval[] {
  return openIntervals(db).all({ hostId });
}

export function deleteIntervalsFrom(db: Db, check: Check, startedAt: number): void {
  db.delete(downtimeIntervals)
    .where(and(ofCheck(downtimeIntervals, check), gte(downtimeIntervals.startedAt, startedAt)))
    .run();
}

export function insertInterval(db: Db, row: NewDowntimeInterval): DowntimeInterval {
  return db.insert(downtimeIntervals).values(row).returning().get();
}

/** Stores how far an open interval is on its way to a silent recovery. */
export function updateClearing(db: Db, open: DowntimeInterval): void {
  const { incarnation, clearCount, clearSince, clearCollectedSec } = open;
  db.update(downtimeIntervals)
    .set({ incarnation, clearCount, clearSince, clearCollectedSec })
    .where(eq(downtimeIntervals.id, open.id))
    .run();
}

export function insertSilentRecovery(db: Db, check: Check, date: number): void {
  db.insert(silentRecoveries)
    .values({ ...check, date })
    .run();
}

export function silentRecoveriesFrom(db: Db, check: Check, date: number): number[] {
  return db
    .select({ date: silentRecoveries.date })
    .from(silentRecoveries)
    .where(and(ofCheck(silentRecoveries, check), gte(silentRecoveries.date, date)))
    .orderBy(asc(silentRecoveries.date))
    .all()
    .map((row) => row.date);
}

/** Success and error events of a check from `date` on, oldest first; changes neither open nor end a failure. */
export function turningEventsFrom(db: Db, check: Check, date: number) {
  return db
    .select({
      id: events.id,
      date: events.date,
      state: events.state,
      collectedSec: events.collectedSec,
    })
    .from(events)
    .where(and(ofCheck(events, check), gte(events.date, date), sql`${events.state} in (0, 1)`))
    .orderBy(asc(events.date), asc(events.collectedSec), asc(events.collectedUsec), asc(events.id))
    .all();
}

export function activeErrors(db: Db, check: Check) {
  return db
    .select({ id: events.id, date: events.date, dismissed: events.dismissed })
    .from(events)
    .where(and(ofCheck(events, check), eq(events.active, true)))
    .all();
}

export function setActive(db: Db, eventId: number, active: boolean, dismissed: boolean): void {
  db.update(events).set({ active, dismissed }).where(eq(events.id, eventId)).run();
}
