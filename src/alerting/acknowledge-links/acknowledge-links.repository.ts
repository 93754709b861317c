import { and, asc, eq, gte, isNull, lte, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ofCheck } from "../../monitoring/uptime/downtime.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  acknowledgeLinks,
  alerts,
  deliveries,
  deliveryEvents,
  downtimeIntervals,
  events,
  hosts,
  names,
} from "../../platform/storage/schema.ts";
import { isTrue } from "../../platform/storage/words.ts";
import { hasReportedEnd } from "../notifications/alerts.repository.ts";

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
 * The active errors of the ongoing failures that a message reports, ordered by host and service. A repeated error is
 * represented by its newest event. A failure that continues after a short recovery counts, although it began anew after
 * the message. A message about a flapping check reports the failures of the check that began before it.
 */
export function lastingErrors(db: Db, deliveryId: number) {
  const { startedAt, endedAt } = downtimeIntervals;
  const reported = alias(events, "reported");
  const active = alias(events, "active_error");
  const alertThat = (condition: SQL) => sql`exists (select 1 from ${alerts}
    where ${alerts.eventId} = ${deliveryEvents.eventId} and ${alerts.ruleId} = ${deliveries.ruleId} and ${condition})`;
  const isOver = alertThat(hasReportedEnd(alerts));
  const isFollowed = alertThat(
    sql`${alerts.closedAt} is null and ${alerts.flappingAt} is null and ${alerts.followedFrom} is null`,
  );
  return db
    .select({
      id: active.id,
      hostname: hosts.hostname,
      service: names.name,
      message: active.message,
    })
    .from(deliveryEvents)
    .innerJoin(deliveries, eq(deliveries.id, deliveryEvents.deliveryId))
    .innerJoin(reported, eq(reported.id, deliveryEvents.eventId))
    .innerJoin(
      downtimeIntervals,
      and(
        ofCheck(downtimeIntervals, reported),
        isNull(endedAt),
        or(lte(startedAt, deliveries.createdAt), isFollowed),
      ),
    )
    .innerJoin(
      active,
      and(ofCheck(active, reported), gte(active.date, startedAt), sql`${active.active} = ${isTrue}`),
    )
    .innerJoin(hosts, eq(hosts.id, active.hostId))
    .innerJoin(names, eq(names.id, active.nameId))
    .where(and(eq(deliveryEvents.deliveryId, deliveryId), not(isOver)))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id), asc(names.nameKey), asc(names.id), asc(active.id))
    .all();
}
