import { and, asc, count, desc, eq, gte, inArray, lte, not, type SQL, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../database/open.ts";
import {
  eventNotes,
  events,
  hostGroupMembers,
  hosts,
  names,
  serviceGroupMembers,
  services,
} from "../database/schema.ts";
import { HOST_STATUS } from "../status/health.ts";
import type { EventListArguments } from "./events.schemas.ts";

export type NewEvent = typeof events.$inferInsert;

const findName = prepareOnce((db) =>
  db
    .select({ id: names.id })
    .from(names)
    .where(eq(names.name, sql.placeholder("name")))
    .prepare(),
);

/** The id of a name, made if new. */
export function nameIdOf(db: Db, name: string): number {
  const known = findName(db).get({ name });
  return known?.id ?? db.insert(names).values({ name }).returning({ id: names.id }).get().id;
}

/** Stores an event unless it is stored already. @returns its id, or null for a repetition */
export function insertEventOnce(db: Db, row: NewEvent): number | null {
  return db.insert(events).values(row).onConflictDoNothing().returning({ id: events.id }).get()?.id ?? null;
}

const countOfService = prepareOnce((db) =>
  db
    .select({ n: count() })
    .from(events)
    .where(and(eq(events.hostId, sql.placeholder("hostId")), eq(events.nameId, sql.placeholder("nameId"))))
    .prepare(),
);

/** How many events of a service are stored: for one that is listed only after its first event. */
export function countEventsOf(db: Db, hostId: number, nameId: number): number {
  return countOfService(db).get({ hostId, nameId })?.n ?? 0;
}

/** Counts a stored event for its host and, where the host has such a service, for that. */
export function countEvent(db: Db, hostId: number, nameId: number): void {
  db.update(hosts)
    .set({ events: sql`${hosts.events} + 1` })
    .where(eq(hosts.id, hostId))
    .run();
  db.update(services)
    .set({ events: sql`${services.events} + 1` })
    .where(sql`${services.hostId} = ${hostId} and ${services.nameId} = ${nameId}`)
    .run();
}

const SORT_COLUMNS = {
  date: events.date,
  hostname: hosts.hostname,
  servicename: names.name,
  event: events.message,
  note: events.noted,
} as const;

/** Hosts whose open failures are not shown as such. */
const ofIgnoredHost = sql`${events.hostId} in (select ${hosts.id} from ${hosts} where ${hosts.status} = ${HOST_STATUS.ignored})`;

function inGroups(groups: number[]): SQL {
  return sql`${events.hostId} in (select ${hostGroupMembers.hostId} from ${hostGroupMembers} where ${inArray(hostGroupMembers.groupId, groups)})`;
}

function inServiceGroups(groups: number[]): SQL {
  return sql`(${events.hostId}, ${events.nameId}) in (
    select ${services.hostId}, ${services.nameId} from ${services}
    join ${serviceGroupMembers} on ${serviceGroupMembers.serviceId} = ${services.id}
    where ${inArray(serviceGroupMembers.groupId, groups)})`;
}

function selection(filter: EventListArguments): SQL | undefined {
  return and(
    // Written out, not bound: the index of active events applies only to the constant.
    filter.active > 0 ? and(sql`${events.active} = 1`, not(ofIgnoredHost)) : undefined,
    filter.active === 2 ? eq(events.dismissed, false) : undefined,
    filter.hostid && inArray(events.hostId, filter.hostid),
    filter.hostgroupid && inGroups(filter.hostgroupid),
    filter.servicenameid && inArray(events.nameId, filter.servicenameid),
    filter.servicegroupid && inServiceGroups(filter.servicegroupid),
    filter.servicetype && inArray(events.serviceType, filter.servicetype),
    filter.eventtype !== undefined ? sql`${events.eventType} & ${filter.eventtype} <> 0` : undefined,
    filter.state && inArray(events.state, filter.state),
    filter.datefrom !== undefined ? gte(events.date, filter.datefrom) : undefined,
    filter.dateto !== undefined ? lte(events.date, filter.dateto) : undefined,
    filter.maxid !== undefined ? lte(events.id, filter.maxid) : undefined,
  );
}

export function countEvents(db: Db, filter: EventListArguments): number {
  return db.select({ n: count() }).from(events).where(selection(filter)).get()?.n ?? 0;
}

/** A page of events in the asked order; ties by id, in the same direction. */
export function listEvents(db: Db, filter: EventListArguments, limit: number) {
  const order = filter.dir === "desc" ? desc : asc;
  return db
    .select({
      id: events.id,
      date: events.date,
      hostname: hosts.hostname,
      hostid: events.hostId,
      servicename: names.name,
      servicenameid: events.nameId,
      event: events.message,
      eventtype: events.state,
      note: events.noted,
      active: events.active,
      dismissed: events.dismissed,
    })
    .from(events)
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(selection(filter))
    .orderBy(order(SORT_COLUMNS[filter.sort]), order(events.id))
    .limit(limit)
    .offset(filter.startindex)
    .all();
}

export function findEvent(db: Db, id: number) {
  return db
    .select({ event: events, host: hosts.hostname, servicename: names.name })
    .from(events)
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(eq(events.id, id))
    .get();
}

export function notesOf(db: Db, eventId: number) {
  return db
    .select({ date: eventNotes.date, uname: eventNotes.uname, message: eventNotes.message })
    .from(eventNotes)
    .where(eq(eventNotes.eventId, eventId))
    .orderBy(asc(eventNotes.id))
    .all();
}

export function insertNote(db: Db, note: typeof eventNotes.$inferInsert): number {
  db.update(events).set({ noted: true }).where(eq(events.id, note.eventId)).run();
  return db.insert(eventNotes).values(note).returning({ id: eventNotes.id }).get().id;
}

export function setDismissed(db: Db, eventId: number): void {
  db.update(events).set({ dismissed: true }).where(eq(events.id, eventId)).run();
}

/** Events per state and span of `step` seconds, counted from `from`, through `to`; spans without events are left out. */
export function countByStateAndTime(db: Db, from: number, to: number, step: number) {
  const span = sql<number>`(${events.date} - ${from}) / ${step}`;
  return db
    .select({ state: events.state, span, n: count() })
    .from(events)
    .where(and(gte(events.date, from), lte(events.date, to)))
    .groupBy(events.state, span)
    .all();
}
