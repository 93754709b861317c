/**
 * Incidents. An incident is one span of a check's time line: a downtime interval, from the first error to the recovery.
 * It has no row of its own, as late events may merge or split spans.
 */
import { and, desc, eq, gte, isNotNull, isNull, lt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ERROR, SUCCESS } from "../../monit/event-types.ts";
import { lastChangeOfHost } from "../../monitoring/events/event-changes.repository.ts";
import { eventsBy } from "../../monitoring/events/event-selection.repository.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { pastOf, scopeOfHistory } from "../../monitoring/past/past.ts";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import { isTagged } from "../../monitoring/tags/tags.repository.ts";
import { type Check, ofCheck } from "../../monitoring/uptime/downtime.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  acknowledgements,
  alerts,
  deliveries,
  deliveryEvents,
  downtimeIntervals,
  eventNotes,
  events,
  hostGroupMembers,
  hosts,
  names,
  services,
} from "../../platform/storage/schema.ts";
import { indexedBy, joinedInOrder, listOf, NO_LIMIT } from "../../platform/storage/words.ts";
import type { IncidentListArguments } from "./incidents.schemas.ts";

/** Seconds before an incident that are searched for changes of its host. */
const BEFORE = 3600;
/** How many people and channels are named for an incident. */
const MAX_NOTIFIED = 20;

const { hostId, nameId, eventType, limitId, startedAt, endedAt } = downtimeIntervals;

/** Events of the check of a span, within it. */
const isWithin = and(
  ofCheck(events, downtimeIntervals),
  gte(events.date, startedAt),
  lte(events.date, sql`coalesce(${endedAt}, ${NO_LIMIT})`),
);
/** An error at the second of the end belongs to the next span, unless this one begins in that second, too. */
const isError = and(
  eq(events.state, ERROR),
  or(isNull(endedAt), lt(events.date, endedAt), eq(events.date, startedAt)),
);
/**
 * The stored errors of a span. There may be none: retention deletes events before the interval that they began.
 */
const isErrorIn = and(isWithin, isError);
/** Its errors and its recovery. */
export const isEventOf = and(isWithin, or(isError, and(eq(events.state, SUCCESS), eq(events.date, endedAt))));

const ofCheckByDate = eventsBy("events_of_check_by_date");

/** The id of the first or last error of a span. */
function errorOf(order: "asc" | "desc"): SQL<number | null> {
  const { date, collectedSec, collectedUsec, id } = events;
  const columns = [date, collectedSec, collectedUsec, id].map((column) => sql`${column} ${sql.raw(order)}`);
  return sql`(select ${id} from ${ofCheckByDate} where ${isErrorIn} order by ${sql.join(columns, sql`, `)} limit 1)`;
}

/** The id of its last acknowledgement, active or ended. */
const acknowledgementOf = sql<number | null>`(select ${acknowledgements.id} from ${acknowledgements}
  join ${ofCheckByDate} on ${events.id} = ${acknowledgements.eventId} where ${isEventOf}
  order by ${acknowledgements.createdAt} desc, ${acknowledgements.id} desc limit 1)`;

function selection(filter: IncidentListArguments, scope: Scope): SQL | undefined {
  const { state, hostid, hostgroupid, tag, datefrom, dateto } = filter;
  const ofGroups = sql`exists (select 1 from ${hostGroupMembers} where ${hostGroupMembers.hostId} = ${hostId}
    and ${hostGroupMembers.groupId} in ${listOf(hostgroupid ?? [])})`;
  return and(
    // As in the list of events, failures of ignored hosts are not open.
    state === "open" ? and(isNull(endedAt), ne(hosts.status, HOST_STATUS.ignored)) : isNotNull(endedAt),
    hostid && sql`${hostId} in ${listOf(hostid)}`,
    hostgroupid && ofGroups,
    tag && isTagged(hostId, tag),
    datefrom === undefined ? undefined : or(isNull(endedAt), gte(endedAt, datefrom)),
    dateto === undefined ? undefined : lte(startedAt, dateto),
    inScope(hostId, scope),
    sql`exists (select 1 from ${events} where ${isErrorIn})`,
  );
}

/**
 * A page of the ids of spans: open ones by their start, ended ones by their end, the newest first. Those that had ended
 * by a moment in the past are only in the real database.
 */
export function spansOf(db: Db, filter: IncidentListArguments, scope: Scope, limit: number): number[] {
  const past = pastOf(db);
  if (!past || filter.state === "open") return listSpans(db, filter, scope, limit);
  const hosts = past.hostsThen(filter);
  const then = hosts ? { ...filter, hostid: hosts, hostgroupid: undefined, tag: undefined } : filter;
  return listSpans(past.history, then, scopeOfHistory(scope), limit, past.at);
}

/** The ids of spans in the order of the list. @param by only those that had ended by this time, unix seconds */
function listSpans(
  db: Db,
  filter: IncidentListArguments,
  scope: Scope,
  limit: number,
  by?: number,
): number[] {
  const { state, hostid, startindex } = filter;
  const index =
    state === "open" ? "downtime_open" : hostid ? "downtime_of_check_by_start" : "downtime_by_end";
  // The row of an ongoing failure is replaced with each error and gets another id, so it is ordered by its first error.
  const newest =
    state === "open"
      ? sql`${startedAt} desc, ${errorOf("asc")} desc`
      : sql`${endedAt} desc, ${startedAt} desc, ${downtimeIntervals.id} desc`;
  const rows = db.all<{ id: number }>(
    sql`select ${downtimeIntervals.id} as id from ${downtimeIntervals} ${indexedBy(index)}
      ${joinedInOrder} ${hosts} on ${hosts.id} = ${hostId}
      where ${and(selection(filter, scope), by === undefined ? undefined : lte(endedAt, by))} order by ${newest} limit ${limit} offset ${startindex}`,
  );
  return rows.map(({ id }) => id);
}

/** The id of the span of a check that contains a time, unix seconds; undefined if the check was not failing then. */
export function spanAt(db: Db, check: Check, at: number): number | undefined {
  const row = db
    .select({ id: downtimeIntervals.id })
    .from(downtimeIntervals)
    .where(and(ofCheck(downtimeIntervals, check), lte(startedAt, at), or(isNull(endedAt), gte(endedAt, at))))
    .orderBy(desc(startedAt), desc(downtimeIntervals.id))
    .limit(1)
    .get();
  return row?.id;
}

/** The id of the span of an error or a recovery; undefined if there is none. */
export function spanOfEvent(db: Db, eventId: number): number | undefined {
  const row = db
    .select({ id: downtimeIntervals.id })
    .from(events)
    .innerJoin(downtimeIntervals, isEventOf)
    .where(eq(events.id, eventId))
    .orderBy(desc(startedAt), desc(downtimeIntervals.id))
    .limit(1)
    .get();
  return row?.id;
}

/** When a span ended, unix seconds; null while it lasts. @param id of its downtime interval */
export function incidentEnd(db: Db, id: number): number | null {
  return (
    db.select({ endedAt }).from(downtimeIntervals).where(eq(downtimeIntervals.id, id)).get()?.endedAt ?? null
  );
}

/** What is stored about spans, by the ids of their intervals. Those without an error are left out. */
export function incidentRows(db: Db, ids: readonly number[]) {
  const last = alias(events, "last_error");
  const change = alias(events, "change_before");
  const changed = alias(names, "changed_name");
  return db
    .select({
      interval: downtimeIntervals.id,
      id: sql<number>`${errorOf("asc")}`,
      eventId: last.id,
      message: last.message,
      dismissed: last.dismissed,
      severity: last.severity,
      hostId,
      nameId,
      hostname: hosts.hostname,
      servicename: names.name,
      // 0 if the host has no service of that name now.
      serviceId: sql<number>`coalesce(${services.id}, 0)`,
      eventType,
      limitId,
      startedAt,
      endedAt,
      acknowledged: {
        uname: acknowledgements.uname,
        date: acknowledgements.createdAt,
        until: acknowledgements.until,
        ended: acknowledgements.endedAt,
        note: acknowledgements.note,
      },
      change: { id: change.id, date: change.date, message: change.message },
      changedService: changed.name,
    })
    .from(downtimeIntervals)
    .innerJoin(hosts, eq(hosts.id, hostId))
    .innerJoin(names, eq(names.id, nameId))
    .innerJoin(last, eq(last.id, errorOf("desc")))
    .leftJoin(
      services,
      and(eq(services.hostId, hostId), eq(services.nameId, nameId), isNull(services.vanishedAt)),
    )
    .leftJoin(acknowledgements, eq(acknowledgements.id, acknowledgementOf))
    .leftJoin(
      change,
      eq(change.id, lastChangeOfHost(hostId, { from: sql`${startedAt} - ${BEFORE}`, to: startedAt })),
    )
    .leftJoin(changed, eq(changed.id, change.nameId))
    .where(sql`${downtimeIntervals.id} in ${listOf(ids)}`)
    .all();
}

/**
 * Recipients of messages about spans, by the ids of their intervals: login names, or the channel's name where a
 * message went to the whole channel.
 */
export function notifiedOf(db: Db, ids: readonly number[]): ReadonlyMap<number, string[]> {
  const name = sql<string>`case when ${deliveries.person} = '' then ${deliveries.channelName} else ${deliveries.person} end`;
  const rows = db
    .selectDistinct({ interval: downtimeIntervals.id, name })
    .from(downtimeIntervals)
    .innerJoin(events, isEventOf)
    .innerJoin(deliveryEvents, eq(deliveryEvents.eventId, events.id))
    .innerJoin(deliveries, eq(deliveries.id, deliveryEvents.deliveryId))
    .where(and(sql`${downtimeIntervals.id} in ${listOf(ids)}`, eq(deliveries.status, "sent")))
    .orderBy(downtimeIntervals.id, name)
    .all();
  const byInterval = Map.groupBy(rows, ({ interval }) => interval);
  return new Map([...byInterval].map(([id, of]) => [id, of.slice(0, MAX_NOTIFIED).map((row) => row.name)]));
}

/** Ids of the newest errors and recoveries of a span that meet a condition, the newest first. */
export function eventsIn(db: Db, id: number, limit: number, condition?: SQL): number[] {
  const { date, collectedSec, collectedUsec } = events;
  const rows = db
    .select({ id: events.id })
    .from(downtimeIntervals)
    .innerJoin(events, isEventOf)
    .where(and(eq(downtimeIntervals.id, id), condition))
    .orderBy(desc(date), desc(collectedSec), desc(collectedUsec), desc(events.id))
    .limit(limit)
    .all();
  return rows.map((row) => row.id);
}

/** Ids of the events of a span that rules follow or messages report: usually the first error, which others repeat. */
export function reportedIn(db: Db, id: number, limit: number): number[] {
  const isFollowed = sql`exists (select 1 from ${alerts} where ${alerts.eventId} = ${events.id})`;
  const isReported = sql`exists (select 1 from ${deliveryEvents} where ${deliveryEvents.eventId} = ${events.id})`;
  return eventsIn(db, id, limit, or(isFollowed, isReported));
}

/** Notes of the events of a span, oldest first. */
export function notesIn(db: Db, id: number) {
  const { date, uname, message } = eventNotes;
  return db
    .select({ date, uname, message })
    .from(downtimeIntervals)
    .innerJoin(events, isEventOf)
    .innerJoin(eventNotes, eq(eventNotes.eventId, events.id))
    .where(eq(downtimeIntervals.id, id))
    .orderBy(eventNotes.id)
    .all();
}
