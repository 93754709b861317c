import { and, asc, between, eq, gt, isNull, ne, sql } from "drizzle-orm";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  alerts,
  downtimeIntervals,
  events,
  healthAlerts,
  healthFindings,
  hosts,
  names,
  ruleSchedules,
  shiftNotices,
} from "../../platform/storage/schema.ts";
import { indexedBy, isTrue } from "../../platform/storage/words.ts";

export type ShiftNotice = typeof shiftNotices.$inferSelect;

/** Stores which shift a delivery is about. Call it in the transaction that inserts the delivery. */
export function insertNotice(db: Db, notice: ShiftNotice): void {
  db.insert(shiftNotices).values(notice).run();
}

/** The notice of a message; undefined once the schedule or the user is deleted. */
export function noticeOfDelivery(db: Db, deliveryId: number): ShiftNotice | undefined {
  return db.select().from(shiftNotices).where(eq(shiftNotices.deliveryId, deliveryId)).get();
}

/**
 * Whether a user was notified of a part of a shift. Its beginning or end can also have been announced late, when a
 * change of the schedule put someone on call within the shift.
 * @param now unix seconds; if the clock was set back, some notices are of later shifts
 */
export function isNotified(
  db: Db,
  { scheduleId, userId, part, startsAt }: Omit<ShiftNotice, "deliveryId">,
  now: number,
): boolean {
  const notice = db
    .select({ id: shiftNotices.deliveryId })
    .from(shiftNotices)
    .where(
      and(
        eq(shiftNotices.scheduleId, scheduleId),
        part === "before"
          ? eq(shiftNotices.startsAt, startsAt)
          : between(shiftNotices.startsAt, startsAt, now),
        eq(shiftNotices.userId, userId),
        eq(shiftNotices.part, part),
      ),
    )
    .limit(1)
    .get();
  return notice !== undefined;
}

/**
 * Forgets who was notified of handovers that are still to come: the clock was ahead. They are notified again.
 * @param after handovers after this are to come, unix seconds
 */
export function forgetEarlyNotices(db: Db, scheduleId: number, after: number): void {
  const isEarly = and(
    eq(shiftNotices.scheduleId, scheduleId),
    gt(shiftNotices.startsAt, after),
    ne(shiftNotices.part, "before"),
  );
  // Most of the time there is none, and then nothing has to be written.
  const early = db.select({ id: shiftNotices.deliveryId }).from(shiftNotices).where(isEarly).limit(1).get();
  if (early) db.delete(shiftNotices).where(isEarly).run();
}

/** The id of the user who was notified of going off call at a time, unix seconds; null if nobody was. */
export function leaverAt(db: Db, scheduleId: number, at: number): number | null {
  const left = db
    .select({ userId: shiftNotices.userId })
    .from(shiftNotices)
    .where(
      and(
        eq(shiftNotices.scheduleId, scheduleId),
        eq(shiftNotices.startsAt, at),
        eq(shiftNotices.part, "ends"),
      ),
    )
    .limit(1)
    .get();
  return left?.userId ?? null;
}

/** The rules that notify who is on call. */
const rulesOf = (db: Db, scheduleId: number) =>
  db
    .selectDistinct({ id: ruleSchedules.ruleId })
    .from(ruleSchedules)
    .where(eq(ruleSchedules.scheduleId, scheduleId));

const { hostId, nameId, eventType, limitId } = alerts;

/**
 * Whether the failure of an alert is ongoing and visible to people. An alert outlives its failure while its check
 * flaps, or while it is muted.
 */
const isFailing = sql`exists (select 1 from ${downtimeIntervals} as failure where failure.host_id = ${hostId}
    and failure.name_id = ${nameId} and failure.event_type = ${eventType} and failure.limit_id = ${limitId}
    and failure.ended_at is null)
  and not exists (select 1 from ${events} as error where error.host_id = ${hostId} and error.name_id = ${nameId}
    and error.event_type = ${eventType} and error.limit_id = ${limitId} and error.active = ${isTrue}
    and error.dismissed = ${isTrue})
  and not exists (select 1 from ${hosts} as ignored where ignored.id = ${hostId}
    and ignored.status = ${HOST_STATUS.ignored})`;

/**
 * The checks with open alerts of rules that notify who is on call, oldest first, with their active errors, to which
 * acknowledgements belong. It reads every open alert.
 */
export function openChecksOf(db: Db, scheduleId: number, limit: number) {
  const isFollowed = and(isNull(alerts.closedAt), isNull(alerts.endedAt));
  const open = and(isFollowed, sql`${alerts.ruleId} in ${rulesOf(db, scheduleId)}`, isFailing);
  const checks = sql`from ${alerts} ${indexedBy("alerts_open_of_check")} where ${open}
    group by ${hostId}, ${nameId}, ${eventType}, ${limitId}`;
  const [total] = db.all<{ n: number }>(sql`select count(*) as n from (select 1 ${checks}) as checks`);
  type Row = { errorId: number | null; host: string; service: string; message: string; since: number };
  const rows = db.all<Row>(sql`
    select (select max(error.id) from ${events} as error where error.host_id = ${events.hostId}
        and error.name_id = ${events.nameId} and error.event_type = ${events.eventType}
        and error.limit_id = ${events.limitId} and error.active = ${isTrue}) as "errorId", ${hosts.hostname} as host, ${names.name} as service, ${events.message} as message,
      checks.since as since
    from (select max(${alerts.eventId}) as event_id, min(${alerts.createdAt}) as since ${checks}) as checks
    join ${events} on ${events.id} = checks.event_id
    join ${hosts} on ${hosts.id} = ${events.hostId}
    join ${names} on ${names.id} = ${events.nameId}
    order by checks.since, checks.event_id limit ${limit}`);
  return { total: total?.n ?? 0, rows };
}

/** The open problems of Muster itself that its rules report to who is on call, oldest first. */
export function openFindingsOf(db: Db, scheduleId: number, limit: number) {
  const { id, text, since, code, subject } = healthFindings;
  const isFound = sql`exists (select 1 from ${healthFindings} as lasting where lasting.code = ${code}
    and lasting.subject = ${subject} and lasting.opened_at is not null and lasting.ended_at is null)`;
  const open = and(
    isNull(healthAlerts.closedAt),
    isNull(healthAlerts.endedAt),
    sql`${healthAlerts.ruleId} in ${rulesOf(db, scheduleId)}`,
    isFound,
  );
  const findings = db
    .selectDistinct({ id, text, since })
    .from(healthAlerts)
    .innerJoin(healthFindings, eq(id, healthAlerts.findingId))
    .where(open)
    .as("findings");
  const total = countRows(db, findings);
  return { total, rows: db.select().from(findings).orderBy(asc(findings.since)).limit(limit).all() };
}
