import { and, eq, isNull, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { changeRows, insertRows, writeRows } from "../../platform/storage/rows.ts";
import { downtimeIntervals, events } from "../../platform/storage/schema.ts";
import { HIDDEN, TRUE } from "../../platform/storage/words.ts";

/** The smallest unit that can fail: one event type of one service of one host. */
export interface Check {
  hostId: number;
  nameId: number;
  eventType: number;
  /** The limit that is exceeded; 0 for a check of the agent. */
  limitId: number;
}

/** Identifies a check, as the key of a map. */
export function checkKey({ hostId, nameId, eventType, limitId }: Check): string {
  return `${hostId} ${nameId} ${eventType} ${limitId}`;
}

export type DowntimeInterval = typeof downtimeIntervals.$inferSelect;
/** The columns of an interval that keeping intervals up to date requires. */
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

/** Placeholders for a check, so that statements that run for every event are built once. */
export const anyCheck = {
  hostId: sql.placeholder("hostId"),
  nameId: sql.placeholder("nameId"),
  eventType: sql.placeholder("eventType"),
  limitId: sql.placeholder("limitId"),
};

/**
 * The condition that a row belongs to a check.
 * @param check `anyCheck` in a prepared statement, or the columns of another row
 */
export function ofCheck(
  table: Readonly<Record<keyof Check, AnySQLiteColumn>>,
  check: Readonly<Record<keyof Check, SQLWrapper | number>>,
) {
  return and(
    eq(table.hostId, check.hostId),
    eq(table.nameId, check.nameId),
    eq(table.eventType, check.eventType),
    eq(table.limitId, check.limitId),
  );
}

const KEY_OF_CHECK = ["host_id", "name_id", "event_type", "limit_id"];

/** The condition that a row belongs to a check, whose key is the first parameters of a statement. */
export const OF_CHECK = KEY_OF_CHECK.map((column, i) => `${column} = ${HIDDEN}?${i + 1}`).join(" and ");

/** The condition that rows of two tables belong to the same check. */
export function isSameCheck(table: string, other: string): string {
  return KEY_OF_CHECK.map((column) => `${table}.${column} = ${other}.${column}`).join(" and ");
}

/** A check as the values of a statement about rows. */
export const CHECK_VALUES = {
  hostId: "integer",
  nameId: "integer",
  eventType: "integer",
  limitId: "integer",
} as const;

/** A check as the parameters of a statement with `OF_CHECK`. */
export type KeyOfCheck = [hostId: number, nameId: number, eventType: number, limitId: number];
export type DatedCheck = [...KeyOfCheck, date: number];

/** The parameters for `OF_CHECK`. */
export const keyOfCheck = ({ hostId, nameId, eventType, limitId }: Check): KeyOfCheck => [
  hostId,
  nameId,
  eventType,
  limitId,
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
  intervalAfter: $client.prepare<StoredInterval, DatedCheck>(
    `select started_at as "startedAt", ended_at as "endedAt", clear_collected_sec as "clearCollectedSec"
     from downtime_intervals where ${OF_CHECK} and started_at > ${HIDDEN}?5 order by started_at limit 1`,
  ),
  activeErrorSince: $client.prepare<ActiveError, DatedCheck>(
    `select id, date, dismissed, dismissed_from as "dismissedFrom", ${ACKNOWLEDGED} as acknowledged,
       ${ACKNOWLEDGED_FROM} as "acknowledgedFrom" from events
     where ${OF_CHECK} and date >= ${HIDDEN}?5 and state = 1 and active = true order by date desc limit 1`,
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
}));

/** The newest interval that began at or before `date`. */
export function intervalBefore(db: Db, check: Check, date: number): StoredInterval | null {
  return statements(db).intervalBefore.get(...keyOfCheck(check), date);
}

/** The oldest interval that began after `date`. */
export function intervalAfter(db: Db, check: Check, date: number): StoredInterval | null {
  return statements(db).intervalAfter.get(...keyOfCheck(check), date);
}

/** The active error of a check, if it is dated `date` or later. */
export function activeErrorSince(db: Db, check: Check, date: number): ActiveError | null {
  return statements(db).activeErrorSince.get(...keyOfCheck(check), date);
}

/** Undoes the dismissals of a check's errors from `date` on: they applied to an earlier failure. */
export function undismissFrom(db: Db, check: Check, date: number): void {
  statements(db).undismissFrom.run(...keyOfCheck(check), date);
}

/** Records that a check's errors from `date` on are dismissed until now. @param at unix seconds */
export function recordDismissalsFrom(db: Db, check: Check, date: number, at: number): void {
  statements(db).recordDismissalsFrom.run(...keyOfCheck(check), date, at);
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

/** Deletes an interval of a check. */
export const deleteInterval = writeRows(
  { ...CHECK_VALUES, startedAt: "integer" },
  "hostId",
  ({ rows, lookUp }) => {
    const isSame = `${isSameCheck("i", "rows")} and i.started_at = rows.started_at`;
    return `delete from downtime_intervals where id in (
      select i.id from ${rows} ${lookUp("downtime_intervals", "i", isSame)})`;
  },
);

/** Marks an error as the active one of its check, or unmarks it, and sets its dismissal. */
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
