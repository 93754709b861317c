import { and, asc, desc, eq, gte, inArray, lt, lte, ne, notInArray, type SQL, sql } from "drizzle-orm";
import { ERROR } from "../../monit/event-types.ts";
import { whyUnmonitored } from "../../monitoring/uptime/excluded-time.repository.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { deletionOf } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import type { LISTED_KINDS } from "../../platform/storage/schema/alerts.ts";
import {
  alerts,
  deliveries,
  deliveryEvents,
  deliveryFindings,
  downtimeIntervals,
  events,
  hosts,
  names,
} from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";
import { listOf, NO_LIMIT, unindexed } from "../../platform/storage/words.ts";

export type Delivery = typeof deliveries.$inferSelect;
export type NewDelivery = typeof deliveries.$inferInsert;
type DeliveryStatus = Delivery["status"];

const { placeholder } = sql;

const insertStatement = byColumns((db, values: NewDelivery) =>
  db.insert(deliveries).values(values).returning({ id: deliveries.id }).prepare(),
);

/** What messages report: events of hosts, or failures of Muster itself. */
export type Reported = "events" | "findings";

/** Puts a message into the outbox. @param ids of the events or findings that it reports @returns its id */
export function insertDelivery(
  db: Db,
  row: NewDelivery,
  ids: readonly number[],
  reported: Reported = "events",
): number {
  const { id: deliveryId } = insertStatement(db, row).get(row);
  addToDelivery(db, deliveryId, ids, reported);
  return deliveryId;
}

/** Adds events or findings to what a message reports. @param ids as in `insertDelivery` */
export function addToDelivery(db: Db, deliveryId: number, ids: readonly number[], reported: Reported): void {
  const insert = reported === "events" ? insertEvent(db) : insertFinding(db);
  for (const id of ids) insert.run({ deliveryId, id });
}

const link = { deliveryId: placeholder("deliveryId") };
const insertEvent = prepareOnce((db) =>
  db
    .insert(deliveryEvents)
    .values({ ...link, eventId: placeholder("id") })
    .onConflictDoNothing()
    .prepare(),
);
const insertFinding = prepareOnce((db) =>
  db
    .insert(deliveryFindings)
    .values({ ...link, findingId: placeholder("id") })
    .onConflictDoNothing()
    .prepare(),
);

/** The tables that say what messages report. */
const TABLES = {
  events: { table: deliveryEvents, deliveryId: deliveryEvents.deliveryId, id: deliveryEvents.eventId },
  findings: {
    table: deliveryFindings,
    deliveryId: deliveryFindings.deliveryId,
    id: deliveryFindings.findingId,
  },
} as const;

/**
 * Joins the messages of a rule with what they report. Starting from what is reported finds fewer messages than
 * starting from the rule.
 */
function reportsOf({ table, deliveryId, id }: (typeof TABLES)[Reported]) {
  const reportedId = sql<number>`${id}`;
  const isWanted = sql`${id} in ${listOf(placeholder("ids"))}`;
  const isOfRule = sql`${unindexed(deliveries.ruleId)} = ${sql.placeholder("ruleId")}`;
  const targets = prepareOnce((db) =>
    db
      .select({
        eventId: reportedId.as("event_id"),
        channelId: deliveries.channelId,
        person: deliveries.person,
        recipient: deliveries.recipient,
        waiting: sql<number>`max(case when ${deliveries.status} in ('pending', 'sending') then 1 else 0 end)`,
        tried: sql<number>`max(case when ${deliveries.status} <> 'failed' or ${deliveries.attempts} > 0
          then 1 else 0 end)`,
        at: sql<number>`max(${deliveries.createdAt})`,
      })
      .from(table)
      .innerJoin(deliveries, eq(deliveries.id, deliveryId))
      .where(and(isWanted, isOfRule))
      .groupBy(id, deliveries.channelId, deliveries.person, deliveries.recipient)
      .prepare(),
  );
  const last = prepareOnce((db) =>
    db
      .select({ eventId: reportedId.as("event_id"), at: sql<number>`max(${deliveries.createdAt})` })
      .from(table)
      .innerJoin(deliveries, eq(deliveries.id, deliveryId))
      .where(
        and(
          isWanted,
          isOfRule,
          sql`${deliveries.kind} in ('problem', 'reminder', 'flapping')`,
          lte(deliveries.createdAt, placeholder("until")),
        ),
      )
      .groupBy(id)
      .prepare(),
  );
  return { targets, last };
}

const STATEMENTS = { events: reportsOf(TABLES.events), findings: reportsOf(TABLES.findings) };

/**
 * Which channels and people a rule has addressed so far about these events or findings. The channel is null if it was
 * deleted, or if a person or schedule could not be reached. `waiting` is 1 if a message has yet to be sent, `tried` is
 * 0 if all failed without an attempt, and `at` is when the last one was created.
 */
export function targetsNotified(db: Db, ruleId: number, ids: readonly number[], reported: Reported) {
  return STATEMENTS[reported].targets(db).all({ ruleId, ids: JSON.stringify(ids) });
}

/**
 * When a rule last reported each of the ids as a problem, as flapping or in a reminder.
 * @param until unix seconds; later reports, from before the clock was set back, are left out
 */
export function lastNotified(
  db: Db,
  ruleId: number,
  ids: readonly number[],
  reported: Reported,
  until: number,
): Map<number, number> {
  const rows = STATEMENTS[reported].last(db).all({ ruleId, ids: JSON.stringify(ids), until });
  return new Map(rows.map(({ eventId, at }) => [eventId, at]));
}

/** New values of the columns that attempts change. */
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

/** Sets columns of a delivery. Its status is not checked: read it in the same transaction. */
export function updateDelivery(db: Db, id: number, changes: DeliveryChanges): void {
  updateStatement(db, changes).run({ ...changes, id });
}

const eventsStatement = prepareOnce((db) => {
  const endOfAlert = sql`(select ended_at from ${alerts} as past where past.event_id = ${events.id}
    and past.rule_id = ${deliveries.ruleId})`;
  const end = sql`(select ended_at from ${downtimeIntervals} as failure where failure.host_id = ${events.hostId}
    and failure.name_id = ${events.nameId} and failure.event_type = ${events.eventType}
    and failure.limit_id = ${events.limitId} and failure.started_at <= ${sql.placeholder("at")}
    order by failure.started_at desc limit 1)`;
  const start = sql`(select started_at from ${downtimeIntervals} as failure where failure.host_id = ${events.hostId}
    and failure.name_id = ${events.nameId} and failure.event_type = ${events.eventType}
    and failure.limit_id = ${events.limitId} and failure.started_at <= ${events.date}
    and (failure.ended_at is null or failure.ended_at >= ${events.date})
    order by failure.started_at desc limit 1)`;
  // A failure can report another error, as when a limit becomes critical. Its end quotes the one that the rule matched.
  const newestText = sql`(select message from ${events} as error where error.host_id = ${events.hostId}
    and error.name_id = ${events.nameId} and error.event_type = ${events.eventType} and error.limit_id = ${events.limitId}
    and error.state = ${ERROR} and ${events.state} = ${ERROR} and ${deliveries.kind} not in ('recovery', 'steady')
    and error.date >= ${events.date} and error.date <= ${sql.placeholder("at")}
    order by error.date desc, error.id desc limit 1)`;
  const endedAt = sql<number>`coalesce(${endOfAlert}, ${end}, ${sql.placeholder("at")})`;
  return db
    .select({
      id: events.id,
      hostId: events.hostId,
      hostname: hosts.hostname,
      service: names.name,
      eventType: events.eventType,
      state: events.state,
      message: sql<string>`coalesce(${newestText}, ${events.message})`,
      date: events.date,
      failedAt: sql<number>`coalesce(${start}, ${events.date})`,
      endedAt,
      unmonitored: whyUnmonitored(events.hostId, events.nameId, endedAt),
    })
    .from(deliveryEvents)
    .innerJoin(deliveries, eq(deliveries.id, deliveryEvents.deliveryId))
    .innerJoin(events, eq(events.id, deliveryEvents.eventId))
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(eq(deliveryEvents.deliveryId, sql.placeholder("deliveryId")))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id), asc(names.nameKey), asc(names.id), asc(events.id))
    .limit(sql.placeholder("limit"))
    .prepare();
});

/**
 * The events that a message reports, ordered by host and service. Until they end, failures have the text of their newest error.
 * @param at when the message was created, unix seconds. A failure that had ended by then comes with its end.
 */
export function eventsOfDelivery(db: Db, deliveryId: number, at: number, limit = NO_LIMIT) {
  return eventsStatement(db).all({ deliveryId, at, limit });
}

/** Number of events that a message reports. */
export function countEventsOfDelivery(db: Db, deliveryId: number): number {
  return countRows(db, deliveryEvents, eq(deliveryEvents.deliveryId, deliveryId));
}

/** The hosts and services of the events that a message reports, in that order. */
export function placesOf(db: Db, deliveryId: number, limit: number) {
  return eventsOfDelivery(db, deliveryId, 0, limit).map(({ id, hostname, service }) => ({
    id,
    host: hostname,
    service,
  }));
}

/** The conditions of the list of messages; those that are absent match all. */
export interface DeliveryFilter {
  channelid?: number | undefined;
  ruleid?: number | undefined;
  /** Messages about any of these events. */
  eventids?: readonly number[] | undefined;
  status?: DeliveryStatus[] | undefined;
  datefrom?: number | undefined;
  dateto?: number | undefined;
}

/** A message of any kind that the list contains. */
type ListedDelivery = Delivery & { kind: (typeof LISTED_KINDS)[number] };
const isListed = ne(deliveries.kind, "rehearsal");

function selection(db: Db, filter: DeliveryFilter): SQL | undefined {
  const { channelid, ruleid, eventids, status, datefrom, dateto } = filter;
  const ofEvents = db
    .select({ id: deliveryEvents.deliveryId })
    .from(deliveryEvents)
    .where(sql`${deliveryEvents.eventId} in ${listOf(eventids ?? [])}`);
  return and(
    isListed,
    channelid !== undefined ? eq(deliveries.channelId, channelid) : undefined,
    ruleid !== undefined ? eq(deliveries.ruleId, ruleid) : undefined,
    eventids && inArray(deliveries.id, ofEvents),
    status && inArray(deliveries.status, status),
    datefrom !== undefined ? gte(deliveries.createdAt, datefrom) : undefined,
    dateto !== undefined ? lte(deliveries.createdAt, dateto) : undefined,
  );
}

/** Number of deliveries that match the filter, without those of rehearsals, which are not listed. */
export function countDeliveries(db: Db, filter: DeliveryFilter): number {
  return countRows(db, deliveries, selection(db, filter));
}

/** Newest first. */
export function listDeliveries(db: Db, filter: DeliveryFilter, limit: number, offset: number) {
  const rows = db
    .select()
    .from(deliveries)
    .where(selection(db, filter))
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
    .limit(limit)
    .offset(offset)
    .all();
  return rows as ListedDelivery[];
}

/** A message of the list. */
export function findDelivery(db: Db, id: number): Delivery | undefined {
  return db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.id, id), isListed))
    .get();
}

/** The most events of old messages that are deleted in one step: a message can report 1,000. */
const EVENTS_DELETED = 5000;
const deleteSomeEvents = deletionOf<{ ids: string }>(
  deliveryEvents,
  sql`${deliveryEvents.deliveryId} in ${listOf(placeholder("ids"))}`,
);

/**
 * Deletes finished messages older than `before`, or at first only some of what they report.
 * @returns how many, or `limit` if there are more
 */
export function deleteDeliveries(db: Db, before: number, limit: number): number {
  const { id, createdAt, status } = deliveries;
  const outdated = db
    .select({ id })
    .from(deliveries)
    .where(and(lt(createdAt, before), notInArray(status, ["pending", "sending"])))
    .orderBy(asc(createdAt), asc(id))
    .limit(limit);
  const ids = outdated.all().map((row) => row.id);
  const events = deleteSomeEvents(db, { ids: JSON.stringify(ids), limit: EVENTS_DELETED });
  if (events === EVENTS_DELETED) return limit;
  db.delete(deliveries)
    .where(inArray(id, listOf(ids)))
    .run();
  return ids.length;
}
