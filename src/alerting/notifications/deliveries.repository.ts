import {
  and,
  asc,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  notInArray,
  type SQL,
  sql,
} from "drizzle-orm";
import { atMost, bound, type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  deliveries,
  deliveryEvents,
  downtimeIntervals,
  events,
  hosts,
  names,
} from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";

export type Delivery = typeof deliveries.$inferSelect;
export type NewDelivery = typeof deliveries.$inferInsert;
export type DeliveryStatus = Delivery["status"];

const { placeholder } = sql;

const insertStatement = byColumns((db, values: NewDelivery) =>
  db.insert(deliveries).values(values).returning({ id: deliveries.id }).prepare(),
);

/** Puts a message into the outbox. @param eventIds the events that it reports @returns its id */
export function insertDelivery(db: Db, row: NewDelivery, eventIds: readonly number[]): number {
  const { id: deliveryId } = insertStatement(db, row).get(row);
  const insert = insertEvent(db);
  for (const eventId of eventIds) insert.run({ deliveryId, eventId });
  return deliveryId;
}

const insertEvent = prepareOnce((db) =>
  db
    .insert(deliveryEvents)
    .values({ deliveryId: placeholder("deliveryId"), eventId: placeholder("eventId") })
    .prepare(),
);

/** The address of a message for a person; of those for a channel each recipient may have had one of their own. */
const personalAddress = sql<string>`case when ${deliveries.person} = '' then '' else ${deliveries.recipient} end`;

/** That a message is of a rule and about one of some events. Events lead to fewer messages than a rule does. */
const ofRuleAndEvents = and(
  sql`${deliveryEvents.eventId} in (select value from json_each(${placeholder("eventIds")}))`,
  sql`+${deliveries.ruleId} = ${bound("ruleId")}`,
);

const targetsStatement = prepareOnce((db) =>
  db
    .select({
      eventId: deliveryEvents.eventId,
      channelId: sql<number>`${deliveries.channelId}`,
      person: deliveries.person,
      address: sql<string>`max(${personalAddress})`,
      waiting: sql<number>`max(case when ${deliveries.status} in ('pending', 'sending') then 1 else 0 end)`,
    })
    .from(deliveryEvents)
    .innerJoin(deliveries, eq(deliveries.id, deliveryEvents.deliveryId))
    .where(and(ofRuleAndEvents, isNotNull(deliveries.channelId)))
    .groupBy(deliveryEvents.eventId, deliveries.channelId, deliveries.person)
    .prepare(),
);

/**
 * Which channels and people a rule notified of the events so far. `waiting` is 1 if that message has yet to be
 * sent, otherwise 0.
 */
export function targetsNotified(db: Db, ruleId: number, eventIds: readonly number[]) {
  return targetsStatement(db).all({ ruleId, eventIds: JSON.stringify(eventIds) });
}

const lastStatement = prepareOnce((db) =>
  db
    .select({ eventId: deliveryEvents.eventId, at: sql<number>`max(${deliveries.createdAt})` })
    .from(deliveryEvents)
    .innerJoin(deliveries, eq(deliveries.id, deliveryEvents.deliveryId))
    .where(and(ofRuleAndEvents, sql`${deliveries.kind} in ('problem', 'reminder', 'flapping')`))
    .groupBy(deliveryEvents.eventId)
    .prepare(),
);

/** When a rule last reported each of the events as a problem, as flapping or in a reminder. */
export function lastNotified(db: Db, ruleId: number, eventIds: readonly number[]): Map<number, number> {
  const rows = lastStatement(db).all({ ruleId, eventIds: JSON.stringify(eventIds) });
  return new Map(rows.map(({ eventId, at }) => [eventId, at]));
}

export type DeliveryChanges = Partial<
  Pick<NewDelivery, "status" | "attempts" | "nextAt" | "finishedAt" | "answer">
>;

const updateStatement = byColumns((db, values: DeliveryChanges) =>
  db
    .update(deliveries)
    .set(values)
    .where(eq(deliveries.id, placeholder("id")))
    .prepare(),
);

export function updateDelivery(db: Db, id: number, changes: DeliveryChanges): void {
  updateStatement(db, changes).run({ ...changes, id });
}

const eventsStatement = prepareOnce((db) => {
  const end = sql`(select ended_at from ${downtimeIntervals} as failure where failure.host_id = ${events.hostId}
    and failure.name_id = ${events.nameId} and failure.event_type = ${events.eventType}
    and failure.limit_id = ${events.limitId} and failure.started_at <= ${bound("at")}
    order by failure.started_at desc limit 1)`;
  return db
    .select({
      id: events.id,
      hostId: events.hostId,
      hostname: hosts.hostname,
      service: names.name,
      eventType: events.eventType,
      state: events.state,
      message: events.message,
      date: events.date,
      endedAt: sql<number>`coalesce(${end}, ${bound("at")})`,
    })
    .from(deliveryEvents)
    .innerJoin(events, eq(events.id, deliveryEvents.eventId))
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(eq(deliveryEvents.deliveryId, bound("deliveryId")))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id), asc(names.nameKey), asc(names.id), asc(events.id))
    .limit(atMost("limit"))
    .prepare();
});

/**
 * The events that a message reports, ordered by host and service.
 * @param at when the message was created, unix seconds. A failure that had ended by then comes with its end.
 */
export function eventsOfDelivery(db: Db, deliveryId: number, at: number, limit = -1) {
  return eventsStatement(db).all({ deliveryId, at, limit });
}

/** Number of events that a message reports. */
export function countEventsOfDelivery(db: Db, deliveryId: number): number {
  return (
    db.select({ n: count() }).from(deliveryEvents).where(eq(deliveryEvents.deliveryId, deliveryId)).get()
      ?.n ?? 0
  );
}

/** The hosts and services of the events that a message reports, in that order. */
export function placesOf(db: Db, deliveryId: number, limit: number) {
  return eventsOfDelivery(db, deliveryId, 0, limit).map(({ id, hostname, service }) => ({
    id,
    host: hostname,
    service,
  }));
}

export interface DeliveryFilter {
  channelid?: number | undefined;
  ruleid?: number | undefined;
  eventid?: number | undefined;
  status?: DeliveryStatus[] | undefined;
  datefrom?: number | undefined;
  dateto?: number | undefined;
}

function selection(db: Db, filter: DeliveryFilter): SQL | undefined {
  const { channelid, ruleid, eventid, status, datefrom, dateto } = filter;
  const ofEvent = db
    .select({ id: deliveryEvents.deliveryId })
    .from(deliveryEvents)
    .where(eq(deliveryEvents.eventId, eventid ?? 0));
  return and(
    channelid !== undefined ? eq(deliveries.channelId, channelid) : undefined,
    ruleid !== undefined ? eq(deliveries.ruleId, ruleid) : undefined,
    eventid !== undefined ? inArray(deliveries.id, ofEvent) : undefined,
    status && inArray(deliveries.status, status),
    datefrom !== undefined ? gte(deliveries.createdAt, datefrom) : undefined,
    dateto !== undefined ? lte(deliveries.createdAt, dateto) : undefined,
  );
}

export function countDeliveries(db: Db, filter: DeliveryFilter): number {
  return db.select({ n: count() }).from(deliveries).where(selection(db, filter)).get()?.n ?? 0;
}

/** Newest first. */
export function listDeliveries(db: Db, filter: DeliveryFilter, limit: number, offset: number): Delivery[] {
  return db
    .select()
    .from(deliveries)
    .where(selection(db, filter))
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
    .limit(limit)
    .offset(offset)
    .all();
}

export function findDelivery(db: Db, id: number): Delivery | undefined {
  return db.select().from(deliveries).where(eq(deliveries.id, id)).get();
}

/** Deletes messages older than `before` that are no longer to be sent. @returns how many */
export function deleteDeliveries(db: Db, before: number, limit: number): number {
  const old = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(lt(deliveries.createdAt, before), notInArray(deliveries.status, ["pending", "sending"])))
    .orderBy(asc(deliveries.createdAt), asc(deliveries.id))
    .limit(limit);
  return db.delete(deliveries).where(inArray(deliveries.id, old)).returning({ id: deliveries.id }).all()
    .length;
}
