/** Events, acknowledgements, notes and messages as they were at a moment. */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { deliveries, deliveryEvents, downtimeIntervals, eventNotes } from "../../platform/storage/schema.ts";
import { idsIn, indexName, listOf, NO_LIMIT } from "../../platform/storage/words.ts";
import { lastChangeOfHost } from "../events/event-changes.repository.ts";
import { isSameCheck } from "../uptime/downtime.repository.ts";
import { asParameter, readRows, readValues, rowsWith, type StoredRow } from "./moment-rows.ts";

/** The most events of a failure that are taken: those of an incident, and some that precede them. */
const MAX_EVENTS = 500;
/** Seconds before a failure in which incidents look for a change of its host. */
const CHANGED_BEFORE = 3600;

const OF_CHECK = isSameCheck("e", "d");
const BY_CHECK = indexName("events_of_check_by_date");
/** Whether the event `e` was within the failure `d`, by the moment `?2`. */
const IS_WITHIN = `e.date >= d.started_at and e.date <= ?2 and e.date <= coalesce(d.ended_at, ${NO_LIMIT})`;

/** The id of the first or last error of the failure `d` by the moment `?2`. @param which a further condition */
const errorOf = (order: "asc" | "desc", which = "") => `(select e.id from events e ${BY_CHECK}
  where ${OF_CHECK} and ${IS_WITHIN} and e.state = 1${which}
    and (d.ended_at is null or d.ended_at > ?2 or e.date < d.ended_at or e.date = d.started_at)
  order by e.date ${order}, e.collected_sec ${order}, e.collected_usec ${order}, e.id ${order} limit 1)`;

/**
 * Of errors that the agent sent. Muster's own errors, for failures that only a status reported, have negative
 * microseconds.
 */
const OF_AGENT = " and e.collected_usec >= 0";

/** The id of the host of an event of any date, or undefined. Who may see it is not checked. */
export function hostOfEvent(db: Db, id: number): number | undefined {
  const [row] = readValues(db, "select host_id from events where id = ?", id);
  return row && Number(row[0]);
}

/**
 * The ids of the last errors of failures by the moment, by the ids of the failures. An error of the agent takes
 * precedence over Muster's own.
 */
export function lastErrors(db: Db, failureIds: readonly number[], at: number): Map<number, number> {
  const rows = readValues(
    db,
    `select d.id, coalesce(${errorOf("desc", OF_AGENT)}, ${errorOf("desc")})
     from downtime_intervals d where d.id in ${idsIn("?1")}`,
    asParameter(failureIds),
    at,
  );
  return new Map(rows.flatMap(([id, event]) => (event === null ? [] : [[Number(id), Number(event)]])));
}

/** The severity of the last errors of failures by the moment, by the ids of the failures: 1 warning, 2 critical. */
export function severitiesOf(db: Db, failureIds: readonly number[], at: number): Map<number, number> {
  if (failureIds.length === 0) return new Map();
  const last = lastErrors(db, failureIds, at);
  const rows = readValues(
    db,
    `select id, severity from events where id in ${idsIn("?")}`,
    asParameter(last.values()),
  );
  const ofEvents = new Map(rows.map(([id, severity]) => [Number(id), Number(severity)]));
  return new Map([...last].map(([failure, event]) => [failure, ofEvents.get(event) ?? 0]));
}

/** The ids of the first error, and of the newest events, of a failure by the moment. */
export function eventsOfFailure(db: Db, failureId: number, at: number): number[] {
  const first = readValues(
    db,
    `select ${errorOf("asc")} from downtime_intervals d where d.id = ?1`,
    failureId,
    at,
  );
  const newest = readValues(
    db,
    `select e.id from downtime_intervals d join events e ${BY_CHECK} on ${OF_CHECK}
     where d.id = ?1 and ${IS_WITHIN} order by e.date desc, e.id desc limit ${MAX_EVENTS}`,
    failureId,
    at,
  );
  return [...first, ...newest].flatMap(([id]) => (typeof id === "number" ? [id] : []));
}

/** The ids of the last changes of the hosts of failures before these began. */
export function changesBefore(db: Db, failureIds: readonly number[]): number[] {
  const { id, hostId, startedAt } = downtimeIntervals;
  const change = lastChangeOfHost(hostId, { from: sql`${startedAt} - ${CHANGED_BEFORE}`, to: startedAt });
  const rows = db.all<{ change: number | null }>(
    sql`select ${change} as change from ${downtimeIntervals} where ${id} in ${listOf(failureIds)}`,
  );
  return rows.flatMap((row) => row.change ?? []);
}

/** The ids of the failures that events are part of: the last ones of their checks that had begun. */
export function failuresOfEvents(db: Db, eventIds: readonly number[]): number[] {
  const rows = readValues(
    db,
    `select (select d.id from downtime_intervals d ${indexName("downtime_of_check_by_start")}
       where ${OF_CHECK} and d.started_at <= e.date order by d.started_at desc, d.id desc limit 1)
     from events e where e.id in ${idsIn("?1")} and e.state in (0, 1)`,
    asParameter(eventIds),
  );
  return [...new Set(rows.flatMap(([id]) => (typeof id === "number" ? [id] : [])))];
}

/** Acknowledgements of failures that had been made, each with the id of its failure. */
export function acknowledgementsBy(db: Db, failureIds: readonly number[], at: number): StoredRow[] {
  return readRows(
    db,
    `select a.*, d.id as failure_id from downtime_intervals d join events e ${BY_CHECK} on ${OF_CHECK}
     join acknowledgements a on a.event_id = e.id
     where d.id in ${idsIn("?1")} and e.date >= d.started_at and e.date <= coalesce(d.ended_at, ${NO_LIMIT})
       and a.created_at <= ?2 order by a.id`,
    asParameter(failureIds),
    at,
  ).map((row) => ({ ...row, ended_at: endedBy(row.ended_at, at) }));
}

/** When something ended; null if it had not ended by the moment. */
export function endedBy(end: unknown, at: number): number | null {
  return end === null || Number(end) > at ? null : Number(end);
}

/** Notes of events that had been written, in order. */
export function notesBy(db: Db, eventIds: Iterable<number>, at: number): StoredRow[] {
  return rowsWith(db, eventNotes, "event_id", eventIds)
    .filter(({ date }) => Number(date) <= at)
    .sort((a, b) => Number(a.id) - Number(b.id));
}

/** Messages about events that had been composed, and which events they are about. */
export function messagesBy(db: Db, eventIds: readonly number[], at: number) {
  const links = rowsWith(db, deliveryEvents, "event_id", eventIds);
  const ids = new Set(links.map(({ delivery_id }) => Number(delivery_id)));
  const messages = rowsWith(db, deliveries, "id", ids)
    .filter(({ created_at }) => Number(created_at) <= at)
    .map((row) => (endedBy(row.finished_at, at) === null ? { ...row, ...NOT_SENT_YET } : row));
  return { links, messages };
}

const NOT_SENT_YET = { status: "pending", attempts: 0, next_at: null, finished_at: null, answer: "" };
