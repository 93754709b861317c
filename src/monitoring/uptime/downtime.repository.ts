import { and, eq, isNull, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { changeRows, insertRows, writeRows } from "../../platform/storage/rows.ts";
import { downtimeIntervals, events, silentRecoveries } from "../../platform/storage/schema.ts";
import { HIDDEN, TRUE } from "../../platform/storage/words.ts";

/** The smallest unit that can fail: one event type of one service of one host. */
export interface Check {
  hostId: number;
  nameId: number;
  eventType: number;
  /** The limit that is exceeded; 0 for a check of the agent. */
  limitId: number;
}

export type DowntimeInterval = typeof downtimeIntervals.$inferSelect;
export type StoredInterval = Pick<DowntimeInterval, "startedAt" | "endedAt" | "clearCollectedSec">;

/** An error event that is marked as the active one of its check. */
export interface ActiveError {
  id: number;
  date: number;
  /** 0 or 1. */
  dismissed: number;
  /** Id of the first error of the failure when it was dismissed; null if unknown. */
  dismissedFrom: number | null;
  /** Whether it has an acknowledgement that was not ended: 0 or 1. */
  acknowledged: number;
  /** As `dismissedFrom`, for the acknowledgement. */
  acknowledgedFrom: number | null;
}

/** A success or error event of a check. */
interface TurningEvent {
  id: number;
  date: number;
  state: number;
  collectedSec: number;
  collectedUsec: number;
}

/**
 * Microseconds of the event that Muster adds for a failure reported only by the agent's status; less if the value is
 * taken. Microseconds of agents' events are never negative, so the two cannot be confused.
 */
export const STATUS_ONLY_USEC = -1;

/** Whether Muster added the event for a failure that only the agent's status reported. */
export function isStatusOnly({ collectedUsec }: Pick<TurningEvent, "collectedUsec">): boolean {
  return collectedUsec < 0;
}

/** Placeholders for a check, so that statements that run for every event are built once. */
export const anyCheck = {
  hostId: sql.placeholder("hostId"),
  nameId: sql.placeholder("nameId"),
  eventType: sql.placeholder("eventType"),
  limitId: sql.placeholder("limitId"),
};

/** The condition that a row belongs to a check. @param check `anyCheck` in a prepared statement */
export function ofCheck<T extends typeof downtimeIntervals | typeof events | typeof silentRecoveries>(
  table: T,
  check: Check | typeof anyCheck,
) {
  return and(
    eq(table.hostId, check.hostId),
    eq(table.nameId, check.nameId),
    eq(table.eventType, check.eventType),
    eq(table.limitId, check.limitId),
  );
}

const OF_CHECK = ["host_id", "name_id", "event_type", "limit_id"]
  .map((column, i) => `${column} = ${HIDDEN}?${i + 1}`)
  .join(" and ");
type DatedCheck = [hostId: number, nameId: number, eventType: number, limitId: number, date: number];
const keyOf = ({ hostId, nameId, eventType, limitId }: Check, date: number): DatedCheck => [
  hostId,
  nameId,
  eventType,
  limitId,
  date,
];

const ACKNOWLEDGED = `exists (select 1 from acknowledgements
  where acknowledgements.event_id = events.id and acknowledgements.ended_at is null)`;

const ACKNOWLEDGED_FROM = `(select failed_from from acknowledgements
  where acknowledgements.event_id = events.id and acknowledgements.ended_at is null)`;

/** Raw SQL, as these run for every event: the query builder takes longer to read a row. */
const statements = prepareOnce(({ $client }) => ({
  intervalBefore: $client.prepare<StoredInterval, DatedCheck>(
    `select started_at as "startedAt", ended_at as "endedAt", clear_collected_sec as "clearCollectedSec"
     from downtime_intervals where ${OF_CHECK} and started_at <= ${HIDDEN}?5 order by started_at desc limit 1`,
  ),
  activeErrorSince: $client.prepare<ActiveError, DatedCheck>(
    `select id, date, dismissed, dismissed_from as "dismissedFrom", ${ACKNOWLEDGED} as acknowledged,
       ${ACKNOWLEDGED_FROM} as "acknowledgedFrom" from events
     where ${OF_CHECK} and date >= ${HIDDEN}?5 and active = true order by date desc limit 1`,
  ),
  newestErrorSince: $client.prepare<{ date: number }, DatedCheck>(
    `select date from events where ${OF_CHECK} and date >= ${HIDDEN}?5 and state = 1 order by date desc limit 1`,
  ),
  undismissFrom: $client.prepare<null, DatedCheck>(
    `update events set dismissed = false, dismissed_from = null where ${OF_CHECK} and date >= ${HIDDEN}?5 and dismissed = ${TRUE}`,
  ),
  recordDismissalsFrom: $client.prepare<null, [...DatedCheck, number]>(
    `insert into revisions (kind, host_id, object_id, until, content)
     select 'events', host_id, id, ${HIDDEN}?6,
       '{"dismissed":true,"dismissedFrom":' || coalesce(cast(dismissed_from as text), 'null') || '}'
     from events where ${OF_CHECK} and date >= ${HIDDEN}?5 and dismissed = ${TRUE}`,
  ),
  recoveriesFrom: $client.prepare<{ date: number }, DatedCheck>(
    `select date from silent_recoveries where ${OF_CHECK} and date >= ${HIDDEN}?5 order by date`,
  ),
  turningEventsFrom: $client.prepare<TurningEvent, DatedCheck>(
    `select id, date, state, collected_sec as "collectedSec", collected_usec as "collectedUsec" from events
     where ${OF_CHECK} and date >= ${HIDDEN}?5 and state in (0, 1) order by date, collected_sec, collected_usec, id`,
  ),
  deleteIntervalsFrom: $client.prepare<null, DatedCheck>(
    `delete from downtime_intervals where ${OF_CHECK} and started_at >= ${HIDDEN}?5`,
  ),
}));

/** The newest interval that began at or before `date`. */
export function intervalBefore(db: Db, check: Check, date: number): StoredInterval | null {
  return statements(db).intervalBefore.get(...keyOf(check, date));
}

/** The active error of a check, if it is dated `date` or later. */
export function activeErrorSince(db: Db, check: Check, date: number): ActiveError | null {
  return statements(db).activeErrorSince.get(...keyOf(check, date));
}

/** The date of the newest error of a check, if that is `date` or later. */
export function newestErrorSince(db: Db, check: Check, date: number): number | null {
  return statements(db).newestErrorSince.get(...keyOf(check, date))?.date ?? null;
}

/** Undoes the dismissals of a check's errors from `date` on: they applied to an earlier failure. */
export function undismissFrom(db: Db, check: Check, date: number): void {
  statements(db).undismissFrom.run(...keyOf(check, date));
}

/** Records that a check's errors from `date` on are dismissed until now. @param at unix seconds */
export function recordDismissalsFrom(db: Db, check: Check, date: number, at: number): void {
  statements(db).recordDismissalsFrom.run(...keyOf(check, date), at);
}

/** Dates of the recoveries without an event from `date` on, oldest first. */
export function silentRecoveriesFrom(db: Db, check: Check, date: number): number[] {
  return statements(db)
    .recoveriesFrom.all(...keyOf(check, date))
    .map((row) => row.date);
}

/** Success and error events of a check from `date` on, oldest first. Changes do not affect failures. */
export function turningEventsFrom(db: Db, check: Check, date: number): TurningEvent[] {
  return statements(db).turningEventsFrom.all(...keyOf(check, date));
}

/** Deletes the intervals of a check that began at `date`, unix seconds, or later, open or not. */
export function deleteIntervalsFrom(db: Db, check: Check, date: number): void {
  statements(db).deleteIntervalsFrom.run(...keyOf(check, date));
}

const CHECK = ["hostId", "nameId", "eventType", "limitId"] as const;

/** Stores an interval of a check. */
export const insertInterval = insertRows(
  downtimeIntervals,
  [...CHECK, "startedAt", "endedAt", "incarnation", "clearCollectedSec"],
  "hostId",
);

/** Changes an interval of a check, and its progress towards a recovery without an event. */
export const changeInterval = changeRows(
  downtimeIntervals,
  [...CHECK, "startedAt"],
  ["endedAt", "incarnation", "clearCount", "clearSince", "clearCollectedSec"],
  "hostId",
);

const INTERVAL = {
  ...({ hostId: "integer", nameId: "integer", eventType: "integer", limitId: "integer" } as const),
  startedAt: "integer",
} as const;

/** Deletes an interval of a check. */
export const deleteInterval = writeRows(INTERVAL, "hostId", ({ rows, lookUp }) => {
  const isSame = ["host_id", "name_id", "event_type", "limit_id", "started_at"].map(
    (column) => `i.${column} = rows.${column}`,
  );
  return `delete from downtime_intervals where id in (
    select i.id from ${rows} ${lookUp("downtime_intervals", "i", isSame.join(" and "))})`;
});

export const setActive = changeRows(events, ["id"], ["active", "dismissed", "dismissedFrom"], "hostId");

const openIntervals = prepareOnce((db) =>
  db
    .select()
    .from(downtimeIntervals)
    .where(and(eq(downtimeIntervals.hostId, sql.placeholder("hostId")), isNull(downtimeIntervals.endedAt)))
    .prepare(),
);

/** Every open failure of a host: those that its agent reports, and those of limits. */
export function openIntervalsOfHost(db: Db, hostId: number): DowntimeInterval[] {
  return openIntervals(db).all({ hostId });
}

/** An open failure. A check has at most one. */
export type OpenFailure = Omit<DowntimeInterval, "id" | "endedAt">;

/** The open failures that only the agent, its silence or its return can resolve. */
export function openFailuresOfAgent(db: Db, hostId: number): OpenFailure[] {
  return openIntervalsOfHost(db, hostId).filter(({ limitId }) => limitId === 0);
}

/** Stores the progress of an open interval towards a recovery without an event. */
export function updateClearing(db: Db, open: OpenFailure): void {
  const { incarnation, clearCount, clearSince, clearCollectedSec } = open;
  db.update(downtimeIntervals)
    .set({ incarnation, clearCount, clearSince, clearCollectedSec })
    .where(and(ofCheck(downtimeIntervals, open), eq(downtimeIntervals.startedAt, open.startedAt)))
    .run();
}

/**
 * Stores that a check recovered without an event. The caller updates its intervals.
 * @param date unix seconds
 */
export function insertSilentRecovery(
  db: Db,
  { hostId, nameId, eventType, limitId }: Check,
  date: number,
): void {
  db.insert(silentRecoveries).values({ hostId, nameId, eventType, limitId, date }).run();
}

/** The events of a check that are marked as active. There is at most one unless a mark is wrong. */
export function activeErrors(db: Db, check: Check): ActiveError[] {
  return db
    .select({
      id: events.id,
      date: events.date,
      dismissed: sql<number>`${events.dismissed}`,
      dismissedFrom: events.dismissedFrom,
      acknowledged: sql<number>`${sql.raw(ACKNOWLEDGED)}`,
      acknowledgedFrom: sql<number | null>`${sql.raw(ACKNOWLEDGED_FROM)}`,
    })
    .from(events)
    .where(and(ofCheck(events, check), eq(events.active, true)))
    .all();
}
