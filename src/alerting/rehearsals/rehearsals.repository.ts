import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, lte, max, or, type SQL, sql } from "drizzle-orm";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { deletionBefore } from "../../platform/storage/delete-some.repository.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  channels,
  deliveries,
  rehearsalMessages,
  rehearsals,
  weeklyRehearsals,
} from "../../platform/storage/schema.ts";
import { isTrue, listOf } from "../../platform/storage/words.ts";

export type Rehearsal = typeof rehearsals.$inferSelect;
export type NewRehearsal = typeof rehearsals.$inferInsert;
export type WeeklyRehearsal = typeof weeklyRehearsals.$inferSelect;

export const weeklyRows = new NamedRows<WeeklyRehearsal>(weeklyRehearsals);

const { placeholder } = sql;

// Both run every second, and usually find nothing.
const dueWeeklyStatement = prepareOnce((db) =>
  db
    .select()
    .from(weeklyRehearsals)
    .where(
      and(
        sql`(${weeklyRehearsals.dueAt} <= ${placeholder("now")} or ${weeklyRehearsals.dueAt} > ${placeholder("latest")})`,
        sql`${weeklyRehearsals.enabled} = ${isTrue}`,
      ),
    )
    .orderBy(asc(weeklyRehearsals.dueAt), asc(weeklyRehearsals.id))
    .prepare(),
);
const dueStatement = prepareOnce((db) =>
  db
    .select()
    .from(rehearsals)
    .where(and(isNotNull(rehearsals.dueAt), lte(rehearsals.dueAt, placeholder("now"))))
    .orderBy(asc(rehearsals.dueAt), asc(rehearsals.id))
    .prepare(),
);

/**
 * The weekly rehearsals that are due.
 * @param latest unix seconds; later times come from a clock that was ahead, and have to be computed again
 */
export function dueWeekly(db: Db, now: number, latest: number): WeeklyRehearsal[] {
  return dueWeeklyStatement(db).all({ now, latest });
}

/** Sets when a weekly rehearsal is held next, unix seconds. */
export function setWeeklyDue(db: Db, id: number, dueAt: number): void {
  db.update(weeklyRehearsals).set({ dueAt }).where(eq(weeklyRehearsals.id, id)).run();
}

/** The rehearsals whose next message or end is due. */
export function dueRehearsals(db: Db, now: number): Rehearsal[] {
  return dueStatement(db).all({ now });
}

/** Stores a rehearsal. @returns its id */
export function insertRehearsal(db: Db, row: NewRehearsal): number {
  return db.insert(rehearsals).values(row).returning({ id: rehearsals.id }).get().id;
}

/** Sets columns of a rehearsal, even of one that has ended; does nothing if it was deleted. */
export function updateRehearsal(db: Db, id: number, changes: Partial<NewRehearsal>): void {
  db.update(rehearsals).set(changes).where(eq(rehearsals.id, id)).run();
}

/** Moves the times of ongoing rehearsals back, since the clock was set back by `seconds`. */
export function moveRehearsalsBack(db: Db, seconds: number): void {
  db.update(rehearsals)
    .set({
      failedAt: sql`${rehearsals.failedAt} - ${seconds}`,
      startedAt: sql`${rehearsals.startedAt} - ${seconds}`,
      dueAt: sql`${rehearsals.dueAt} - ${seconds}`,
      endsAt: sql`${rehearsals.endsAt} - ${seconds}`,
    })
    .where(isNull(rehearsals.endedAt))
    .run();
}

/** The rehearsal of this id, ongoing or ended, or undefined. Who may see it is not checked. */
export function findRehearsal(db: Db, id: number): Rehearsal | undefined {
  return db.select().from(rehearsals).where(eq(rehearsals.id, id)).get();
}

/** What is rehearsed: a rule or a schedule. */
export type Subject = Pick<Rehearsal, "ruleId" | "scheduleId">;

function isOf({ ruleId, scheduleId }: Partial<Subject>): SQL | undefined {
  return and(
    ruleId ? eq(rehearsals.ruleId, ruleId) : undefined,
    scheduleId ? eq(rehearsals.scheduleId, scheduleId) : undefined,
  );
}

/** Whether a rehearsal of a rule or schedule is ongoing. */
export function isOngoing(db: Db, subject: Subject): boolean {
  return hasRow(db, rehearsals, and(isOf(subject), isNull(rehearsals.endedAt)));
}

export interface RehearsalFilter extends Partial<Subject> {
  /** Only rehearsals of these rules. */
  ruleIds?: readonly number[] | undefined;
}

function selection({ ruleIds, ...subject }: RehearsalFilter): SQL | undefined {
  return and(isOf(subject), ruleIds && inArray(rehearsals.ruleId, listOf(ruleIds)));
}

/** Number of rehearsals that match the filter, ongoing and ended. */
export function countRehearsals(db: Db, filter: RehearsalFilter): number {
  return countRows(db, rehearsals, selection(filter));
}

/** Newest first. */
export function listRehearsals(db: Db, filter: RehearsalFilter, limit: number, offset: number): Rehearsal[] {
  return db
    .select()
    .from(rehearsals)
    .where(selection(filter))
    .orderBy(desc(rehearsals.startedAt), desc(rehearsals.id))
    .limit(limit)
    .offset(offset)
    .all();
}

/** Deletes a rehearsal. Its waiting messages are not sent any more. */
export function deleteRehearsal(db: Db, id: number): void {
  db.delete(rehearsals).where(eq(rehearsals.id, id)).run();
}

/** Deletes rehearsals that ended and were started before a time. @returns how many */
export const deleteRehearsals = deletionBefore(
  rehearsals,
  and(lt(rehearsals.startedAt, placeholder("before")), isNotNull(rehearsals.endedAt)),
);

/**
 * Stores which step of a rehearsal a delivery belongs to. Call it in the transaction that inserts the
 * delivery.
 */
export function insertMessage(db: Db, row: typeof rehearsalMessages.$inferInsert): void {
  db.insert(rehearsalMessages).values(row).run();
}

/** The messages of rehearsals with their deliveries, in the order of steps. */
export function messagesOf(db: Db, ids: readonly number[]) {
  return db
    .select({
      rehearsalId: rehearsalMessages.rehearsalId,
      step: rehearsalMessages.step,
      acknowledgedAt: rehearsalMessages.acknowledgedAt,
      person: deliveries.person,
      recipient: deliveries.recipient,
      channelName: deliveries.channelName,
      channelId: deliveries.channelId,
      status: deliveries.status,
      attempts: deliveries.attempts,
      answer: deliveries.answer,
      createdAt: deliveries.createdAt,
      finishedAt: deliveries.finishedAt,
    })
    .from(rehearsalMessages)
    .innerJoin(deliveries, eq(deliveries.id, rehearsalMessages.deliveryId))
    .where(inArray(rehearsalMessages.rehearsalId, listOf(ids)))
    .orderBy(asc(rehearsalMessages.rehearsalId), asc(rehearsalMessages.step), asc(deliveries.id))
    .all();
}
export type RehearsalMessage = ReturnType<typeof messagesOf>[number];

/** The rehearsal of a message; undefined once it, its rule or its schedule is deleted. */
export function rehearsalOfDelivery(db: Db, deliveryId: number) {
  return db
    .select({
      rehearsal: rehearsals,
      step: rehearsalMessages.step,
      acknowledgedAt: rehearsalMessages.acknowledgedAt,
    })
    .from(rehearsalMessages)
    .innerJoin(rehearsals, eq(rehearsals.id, rehearsalMessages.rehearsalId))
    .where(eq(rehearsalMessages.deliveryId, deliveryId))
    .get();
}

/** Stores that a message was acknowledged. @param at unix seconds */
export function setAcknowledged(db: Db, deliveryId: number, at: number): void {
  db.update(rehearsalMessages)
    .set({ acknowledgedAt: at })
    .where(eq(rehearsalMessages.deliveryId, deliveryId))
    .run();
}

/** The enabled channels that existed at a time and have delivered nothing since, each with its last delivery. */
export function idleChannels(db: Db, since: number) {
  const last = db
    .select({ channelId: deliveries.channelId, at: max(deliveries.finishedAt).as("delivered_at") })
    .from(deliveries)
    .where(and(eq(deliveries.status, "sent"), isNotNull(deliveries.channelId)))
    .groupBy(deliveries.channelId)
    .as("last_delivery");
  return db
    .select({ id: channels.id, name: channels.name, last: last.at })
    .from(channels)
    .leftJoin(last, eq(last.channelId, channels.id))
    .where(
      and(eq(channels.enabled, true), lt(channels.createdAt, since), or(isNull(last.at), lt(last.at, since))),
    )
    .orderBy(asc(channels.name))
    .all();
}
