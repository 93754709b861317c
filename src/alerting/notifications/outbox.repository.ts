/** The outbox: messages that wait to be sent. */
import {
  and,
  asc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { countRows } from "../../platform/storage/count.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  alerts,
  channels,
  deliveries,
  deliveryEvents,
  deliveryFindings,
  events,
  rules,
} from "../../platform/storage/schema.ts";
import { FALSE, HIDDEN, isTrue, listOf } from "../../platform/storage/words.ts";
import type { Delivery } from "./deliveries.repository.ts";

/** The most messages in the outbox. */
export const MAX_WAITING = 10_000;

const { placeholder } = sql;

const channelsStatement = prepareOnce((db) =>
  db
    .select({ id: channels.id, failures: channels.failures })
    .from(channels)
    .where(
      and(
        sql`${channels.enabled} = ${isTrue}`,
        // If the clock was set back, a channel backs off for no longer than the limit.
        sql`(${channels.heldUntil} is null or ${channels.heldUntil} <= ${placeholder("now")}
          or ${channels.heldUntil} > ${placeholder("latest")})`,
        sql`exists (select 1 from ${deliveries} where ${deliveries.channelId} = ${channels.id}
          and ${deliveries.nextAt} <= ${placeholder("now")})`,
      ),
    )
    .orderBy(sql`${channels.failures} > 0`, sql`coalesce(${channels.lastAt}, 0)`, asc(channels.id))
    .prepare(),
);

/**
 * The channels that have a message to send now and do not back off. Working channels come before failing
 * ones, each in the order of their last attempts, oldest first.
 * @param maxHeld longest back-off of a channel, seconds
 */
export function channelsDue(db: Db, now: number, maxHeld: number): { id: number; failures: number }[] {
  return channelsStatement(db).all({ now, latest: now + maxHeld });
}

const waitingOf = and(
  eq(deliveries.channelId, placeholder("channelId")),
  lte(deliveries.nextAt, placeholder("now")),
);

/** Alerts come before rehearsals and shifts, and before reports, of which hundreds can be due at once. */
const isAlert = sql`${deliveries.kind} not in ('report', 'shift', 'rehearsal')`;

/** Among the messages of a channel that meet a condition, the one that has been due longest. */
const longestDue = (condition?: SQL) =>
  prepareOnce((db) =>
    db
      .select()
      .from(deliveries)
      .where(and(waitingOf, condition))
      .orderBy(asc(deliveries.nextAt), asc(deliveries.id))
      .limit(1)
      .prepare(),
  );

const untriedAlert = longestDue(and(sql`${deliveries.attempts} = 0`, isAlert));
const anyAlert = longestDue(isAlert);
const anyMessage = longestDue();

/** The next message of a channel: first alerts never tried, then the one due longest, then others. */
export function nextOfChannel(db: Db, channelId: number, now: number): Delivery | undefined {
  const params = { channelId, now };
  return untriedAlert(db).get(params) ?? anyAlert(db).get(params) ?? anyMessage(db).get(params);
}

/** The statement for `earlierWaiting`. @param table what messages report, as in deliveries.repository.ts */
function earlierStatement(table: typeof deliveryEvents | typeof deliveryFindings, id: AnySQLiteColumn) {
  return prepareOnce((db) => {
    const reportedIds = sql`(select ${id} from ${table} where ${table.deliveryId} = ${placeholder("id")})`;
    return db
      .select({ delivery: deliveries })
      .from(deliveries)
      .innerJoin(table, eq(table.deliveryId, deliveries.id))
      .where(
        and(
          sql`${id} in ${reportedIds}`,
          lt(deliveries.id, placeholder("id")),
          eq(deliveries.ruleId, placeholder("ruleId")),
          eq(deliveries.channelId, placeholder("channelId")),
          sql`(${placeholder("recipient")} = '' or ${deliveries.recipient} in (${placeholder("recipient")}, ''))`,
          isNotNull(deliveries.nextAt),
        ),
      )
      .orderBy(asc(deliveries.id))
      .limit(1)
      .prepare();
  });
}

const earlierAboutEvents = earlierStatement(deliveryEvents, deliveryEvents.eventId);
const earlierAboutFindings = earlierStatement(deliveryFindings, deliveryFindings.findingId);

/** The oldest message that must arrive before this one: same rule, same channel, same recipient, same failure. */
export function earlierWaiting(db: Db, { id, ruleId, channelId, recipient }: Delivery): Delivery | undefined {
  const message = { id, ruleId, channelId, recipient };
  return (earlierAboutEvents(db).get(message) ?? earlierAboutFindings(db).get(message))?.delivery;
}

// Runs every second. With a bound limit SQLite would plan it anew each time.
const sendableStatement = prepareOnce((db) =>
  db.$client.prepare<null, [now: number, latest: number]>(
    `select 1 from deliveries left join channels on channels.id = channel_id
     where next_at <= ${HIDDEN}?1 and (channels.id is null or enabled = ${FALSE}
       or held_until is null or held_until <= ?1 or held_until > ?2) limit 1`,
  ),
);

/**
 * Whether any message is due whose channel does not back off.
 * @param maxHeld longest back-off of a channel, seconds
 */
export function isAnySendable(db: Db, now: number, maxHeld: number): boolean {
  return sendableStatement(db).get(now, now + maxHeld) !== null;
}

const withoutChannelStatement = prepareOnce((db) => {
  const disabled = db.select({ id: channels.id }).from(channels).where(eq(channels.enabled, false));
  return db
    .select()
    .from(deliveries)
    .where(
      and(
        lte(deliveries.nextAt, placeholder("now")),
        or(isNull(deliveries.channelId), inArray(deliveries.channelId, disabled)),
      ),
    )
    .limit(placeholder("limit"))
    .prepare();
});

/** Due messages that can never be sent, because their channel was deleted or disabled. */
export function withoutChannel(db: Db, now: number, limit: number): Delivery[] {
  return withoutChannelStatement(db).all({ now, limit });
}

/** Condition of events that are still needed: an open alert or an unsent message refers to them. */
export const eventToNotify = or(
  exists(
    sql`(select 1 from ${alerts} where ${alerts.eventId} = ${events.id} and ${alerts.closedAt} is null)`,
  ),
  exists(
    sql`(select 1 from ${deliveryEvents} join ${deliveries} on ${deliveries.id} = ${deliveryEvents.deliveryId}
      where ${deliveryEvents.eventId} = ${events.id} and ${deliveries.status} in ('pending', 'sending'))`,
  ),
);

/** Moves the times of next attempts and back-offs back by `seconds`. */
export function moveBack(db: Db, seconds: number): void {
  db.update(deliveries)
    .set({ nextAt: sql`${deliveries.nextAt} - ${seconds}` })
    .where(isNotNull(deliveries.nextAt))
    .run();
  db.update(channels)
    .set({ heldUntil: sql`${channels.heldUntil} - ${seconds}` })
    .where(isNotNull(channels.heldUntil))
    .run();
}

/** Makes messages due that would wait longer than `maxWait`, because the clock was set back while Muster was off. */
export function bringForward(db: Db, now: number, maxWait: number): void {
  db.update(deliveries)
    .set({ nextAt: now })
    .where(gt(deliveries.nextAt, now + maxWait))
    .run();
}

/** Requeues messages whose attempt was under way when Muster ended. @returns how many */
export function reviveSending(db: Db, now: number, answer: string): number {
  return db
    .update(deliveries)
    .set({ status: "pending", nextAt: now, answer })
    .where(eq(deliveries.status, "sending"))
    .returning({ id: deliveries.id })
    .all().length;
}

/** Sets the times of the messages that nobody has tried to send. @returns their ids */
export function setTimesOfUntried(
  db: Db,
  ids: readonly number[],
  times: { createdAt: number; nextAt: number },
): number[] {
  const { id, status, attempts } = deliveries;
  return db
    .update(deliveries)
    .set(times)
    .where(and(inArray(id, listOf(ids)), eq(status, "pending"), eq(attempts, 0)))
    .returning({ id })
    .all()
    .map((row) => row.id);
}

/** Fails messages. @returns how many */
function fail(db: Db, condition: SQL | undefined, now: number, answer: string): number {
  const failed = { status: "failed" as const, nextAt: null, finishedAt: now, answer };
  return db.update(deliveries).set(failed).where(condition).returning({ id: deliveries.id }).all().length;
}

/** Fails the waiting messages of a channel that were created before a time. @returns how many */
export function failOverdue(
  db: Db,
  channelId: number,
  { before, now, answer }: { before: number; now: number; answer: string },
): number {
  const { channelId: channel, nextAt, createdAt } = deliveries;
  return fail(db, and(eq(channel, channelId), isNotNull(nextAt), lt(createdAt, before)), now, answer);
}

/** Fails messages whose attempt was under way when Muster ended, and whose rule has been disabled since it began. */
export function failSendingOfDisabled(db: Db, now: number, answer: string): void {
  const disabled = db.select({ id: rules.id }).from(rules).where(eq(rules.enabled, false));
  fail(db, and(eq(deliveries.status, "sending"), inArray(deliveries.ruleId, disabled)), now, answer);
}

/** Fails the oldest waiting messages if there are more than `MAX_WAITING`. @returns how many */
export function failExcess(db: Db, now: number): number {
  const isWaiting = isNotNull(deliveries.nextAt);
  const waiting = countRows(db, deliveries, isWaiting);
  if (waiting <= MAX_WAITING) return 0;
  const oldest = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(isWaiting)
    .orderBy(asc(deliveries.id))
    .limit(waiting - MAX_WAITING);
  return fail(db, inArray(deliveries.id, oldest), now, "too many waiting");
}
