import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import {
  acknowledgeLinks,
  alerts,
  deliveries,
  deliveryEvents,
  events,
  hosts,
  names,
} from "../../platform/storage/schema.ts";
import { isTrue } from "../../platform/storage/words.ts";

/** Stores a link, and deletes the oldest ones beyond `limit`. */
export function insertLink(
  db: Db,
  row: Pick<typeof acknowledgeLinks.$inferInsert, "hash" | "deliveryId" | "createdAt">,
  limit: number,
): void {
  const { id } = db.insert(acknowledgeLinks).values(row).returning({ id: acknowledgeLinks.id }).get();
  db.delete(acknowledgeLinks)
    .where(lte(acknowledgeLinks.id, id - limit))
    .run();
}

/** A link, with the message that contained it. */
export function findLink(db: Db, hash: string) {
  return db
    .select({
      id: acknowledgeLinks.id,
      deliveryId: acknowledgeLinks.deliveryId,
      createdAt: acknowledgeLinks.createdAt,
      usedAt: acknowledgeLinks.usedAt,
      person: deliveries.person,
      recipient: deliveries.recipient,
      channel: deliveries.channelName,
      kind: deliveries.kind,
    })
    .from(acknowledgeLinks)
    .innerJoin(deliveries, eq(deliveries.id, acknowledgeLinks.deliveryId))
    .where(eq(acknowledgeLinks.hash, hash))
    .get();
}

/** Marks a link as used. @param at unix seconds */
export function markUsed(db: Db, id: number, at: number): void {
  db.update(acknowledgeLinks).set({ usedAt: at }).where(eq(acknowledgeLinks.id, id)).run();
}

/**
 * The active errors of the ongoing failures that a message reports. A repeated error is represented by its newest
 * event. Ordered by host and service.
 */
export function lastingErrors(db: Db, deliveryId: number) {
  const newer = sql`(select max(newer.id) from ${events} as newer where newer.host_id = ${alerts.hostId}
    and newer.name_id = ${alerts.nameId} and newer.event_type = ${alerts.eventType}
    and newer.limit_id = ${alerts.limitId} and newer.active = ${isTrue})`;
  return db
    .select({
      id: events.id,
      hostname: hosts.hostname,
      service: names.name,
      message: events.message,
    })
    .from(deliveryEvents)
    .innerJoin(deliveries, eq(deliveries.id, deliveryEvents.deliveryId))
    .innerJoin(
      alerts,
      and(
        eq(alerts.eventId, deliveryEvents.eventId),
        eq(alerts.ruleId, deliveries.ruleId),
        isNull(alerts.closedAt),
      ),
    )
    .innerJoin(events, eq(events.id, newer))
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(eq(deliveryEvents.deliveryId, deliveryId))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id), asc(names.nameKey), asc(names.id), asc(events.id))
    .all();
}
