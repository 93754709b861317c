import { and, asc, eq, gte, isNull, sql } from "drizzle-orm";
import { bound, type Db, prepareOnce } from "../../platform/storage/open.ts";
import { downtimeIntervals, events, silentRecoveries } from "../../platform/storage/schema.ts";

/** The smallest unit that can fail: one event type of one service of one host. */
export interface Check {
  hostId: number;
  nameId: number;
  eventType: number;
}

export type DowntimeInterval = typeof downtimeIntervals.$inferSelect;
export type KnownInterval = Pick<DowntimeInterval, "startedAt" | "endedAt" | "clearCollectedSec">;

/** An error event that is marked as the active one of its check. */
export interface ActiveError {
  id: number;
  date: number;
  /** 0 or 1. */
  dismissed: number;
  /** Whether it has an acknowledgement that was not ended: 0 or 1. */
  acknowledged: number;
}

export type NewDowntimeInterval = Check & {
  startedAt: number;
  endedAt: number | null;
  incarnation: number;
  clearCollectedSec: number;
};

const { placeholder } = sql;
/** Placeholders for a check, so that statements that run for every event are built once. */
export const anyCheck = { hostId: bound("hostId"), nameId: bound("nameId"), eventType: bound("eventType") };
const keyOf = ({ hostId, nameId, eventType }: Check): Check => ({ hostId, nameId, eventType });

export function ofCheck<T extends typeof downtimeIntervals | typeof events | typeof silentRecoveries>(
  table: T,
  check: Check | typeof anyCheck,
) {
  return and(
    eq(table.hostId, check.hostId),
    eq(table.nameId, check.nameId),
    eq(table.eventType, check.eventType),
  );
}

const OF_CHECK = "host_id = +?1 and name_id = +?2 and event_type = +?3";

const ACKNOWLEDGED = `exists (select 1 from acknowledgements
  where acknowledgements.event_id = events.id and acknowledgements.ended_at is null)`;

/** Raw SQL: the query builder binds limits, for which SQLite plans a statement again on every run. */
const newest = prepareOnce((db) => ({
  interval: db.$client.prepare<KnownInterval, [number, number, number, number]>(
    `select started_at as "startedAt", ended_at as "endedAt", clear_collected_sec as "clearCollectedSec"
     from downtime_intervals where ${OF_CHECK} and started_at <= +?4 order by started_at desc limit 1`,
  ),
  activeError: db.$client.prepare<ActiveError, [number, number, number, number]>(
    `select id, date, dismissed, ${ACKNOWLEDGED} as acknowledged from events where ${OF_CHECK} and date >= +?4 and active = +1
     order by date desc limit 1`,
  ),
}));

/** The newest interval that began at or before `date`. */
export function intervalBefore(db: Db, check: Check, date: number): KnownInterval | null {
  return newest(db).interval.get(check.hostId, check.nameId, check.eventType, date);
}

/** The active error of a check, if it is dated `date` or later. */
export function activeErrorSince(db: Db, check: Check, date: number): ActiveError | null {
  return newest(db).activeError.get(check.hostId, check.nameId, check.eventType, date);
}

const openIntervals = prepareOnce((db) =>
  db
    .select()
    .from(downtimeIntervals)
    .where(and(eq(downtimeIntervals.hostId, bound("hostId")), isNull(downtimeIntervals.endedAt)))
    .prepare(),
);

export function openIntervalsOfHost(db: Db, hostId: number): DowntimeInterval[] {
  return openIntervals(db).all({ hostId });
}

const deleteIntervals = prepareOnce((db) =>
  db
    .delete(downtimeIntervals)
    .where(and(ofCheck(downtimeIntervals, anyCheck), gte(downtimeIntervals.startedAt, bound("date"))))
    .prepare(),
);

export function deleteIntervalsFrom(db: Db, check: Check, date: number): void {
  deleteIntervals(db).run({ ...keyOf(check), date });
}

const insertStatement = prepareOnce((db) =>
  db
    .insert(downtimeIntervals)
    .values({
      ...anyCheck,
      startedAt: placeholder("startedAt"),
      // A plain placeholder, as the value is null for an open interval.
      endedAt: sql`${placeholder("endedAt")}`,
      incarnation: placeholder("incarnation"),
      clearCollectedSec: placeholder("clearCollectedSec"),
    })
    .prepare(),
);

export function insertInterval(db: Db, row: NewDowntimeInterval): void {
  insertStatement(db).run({ ...row });
}

/** Stores the progress of an open interval towards a recovery without an event. */
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

const recoveriesFrom = prepareOnce((db) =>
  db
    .select({ date: silentRecoveries.date })
    .from(silentRecoveries)
    .where(and(ofCheck(silentRecoveries, anyCheck), gte(silentRecoveries.date, bound("date"))))
    .orderBy(asc(silentRecoveries.date))
    .prepare(),
);

export function silentRecoveriesFrom(db: Db, check: Check, date: number): number[] {
  return recoveriesFrom(db)
    .all({ ...keyOf(check), date })
    .map((row) => row.date);
}

const turnsFrom = prepareOnce((db) =>
  db
    .select({
      id: events.id,
      date: events.date,
      state: events.state,
      collectedSec: events.collectedSec,
    })
    .from(events)
    .where(and(ofCheck(events, anyCheck), gte(events.date, bound("date")), sql`${events.state} in (0, 1)`))
    .orderBy(asc(events.date), asc(events.collectedSec), asc(events.collectedUsec), asc(events.id))
    .prepare(),
);

/** Success and error events of a check from `date` on, oldest first. Changes do not affect failures. */
export function turningEventsFrom(db: Db, check: Check, date: number) {
  return turnsFrom(db).all({ ...keyOf(check), date });
}

/** The events of a check that are marked as active. There is at most one unless a mark is wrong. */
export function activeErrors(db: Db, check: Check): ActiveError[] {
  return db
    .select({
      id: events.id,
      date: events.date,
      dismissed: sql<number>`${events.dismissed}`,
      acknowledged: sql<number>`${sql.raw(ACKNOWLEDGED)}`,
    })
    .from(events)
    .where(and(ofCheck(events, check), eq(events.active, true)))
    .all();
}

const setActiveStatement = prepareOnce((db) =>
  db
    .update(events)
    .set({ active: sql`${placeholder("active")}`, dismissed: sql`${placeholder("dismissed")}` })
    .where(eq(events.id, bound("eventId")))
    .prepare(),
);

export function setActive(db: Db, eventId: number, active: boolean, dismissed: boolean): void {
  setActiveStatement(db).run({ eventId, active, dismissed });
}
