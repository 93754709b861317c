import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import {
  alerts,
  events,
  healthAlerts,
  healthFindings,
  hosts,
  names,
  ruleSchedules,
  shiftNotices,
} from "../../platform/storage/schema.ts";
import { indexedBy } from "../../platform/storage/words.ts";

export type ShiftNotice = typeof shiftNotices.$inferSelect;

export function insertNotice(db: Db, notice: ShiftNotice): void {
  db.insert(shiftNotices).values(notice).run();
}

/** The notice of a message; undefined once the schedule or the user is deleted. */
export function noticeOfDelivery(db: Db, deliveryId: number): ShiftNotice | undefined {
  return db.select().from(shiftNotices).where(eq(shiftNotices.deliveryId, deliveryId)).get();
}

/** Whether a user was told of a part of a shift. */
export function isTold(
  db: Db,
  { scheduleId, userId, part, startsAt }: Omit<ShiftNotice, "deliveryId">,
): boolean {
  const told = db
    .select({ id: shiftNotices.deliveryId })
    .from(shiftNotices)
    .where(
      and(
        eq(shiftNotices.scheduleId, scheduleId),
        eq(shiftNotices.startsAt, startsAt),
        eq(shiftNotices.userId, userId),
        eq(shiftNotices.part, part),
      ),
    )
    .limit(1)
    .get();
  return told !== undefined;
}

/** The rules that notify who is on call. */
const rulesOf = (db: Db, scheduleId: number) =>
  db
    .selectDistinct({ id: ruleSchedules.ruleId })
    .from(ruleSchedules)
    .where(eq(ruleSchedules.scheduleId, scheduleId));

/** The checks with open alerts of rules that notify who is on call, oldest first. It reads every open alert. */
export function openChecksOf(db: Db, scheduleId: number, limit: number) {
  const { hostId, nameId, eventType, limitId } = alerts;
  const open = and(isNull(alerts.closedAt), sql`${alerts.ruleId} in ${rulesOf(db, scheduleId)}`);
  const checks = sql`from ${alerts} ${indexedBy("alerts_open_of_check")} where ${open}
    group by ${hostId}, ${nameId}, ${eventType}, ${limitId}`;
  const [total] = db.all<{ n: number }>(sql`select count(*) as n from (select 1 ${checks}) as checks`);
  const rows = db.all<{ eventId: number; host: string; service: string; message: string; since: number }>(sql`
    select ${events.id} as "eventId", ${hosts.hostname} as host, ${names.name} as service, ${events.message} as message,
      checks.since as since
    from (select max(${alerts.eventId}) as event_id, min(${alerts.createdAt}) as since ${checks}) as checks
    join ${events} on ${events.id} = checks.event_id
    join ${hosts} on ${hosts.id} = ${events.hostId}
    join ${names} on ${names.id} = ${events.nameId}
    order by checks.since, checks.event_id limit ${limit}`);
  return { total: total?.n ?? 0, rows };
}

/** What is wrong with Muster itself and open for rules that notify who is on call, oldest first. */
export function openFindingsOf(db: Db, scheduleId: number, limit: number) {
  const open = and(isNull(healthAlerts.closedAt), sql`${healthAlerts.ruleId} in ${rulesOf(db, scheduleId)}`);
  const { id, text, since } = healthFindings;
  const findings = db
    .selectDistinct({ id, text, since })
    .from(healthAlerts)
    .innerJoin(healthFindings, eq(id, healthAlerts.findingId))
    .where(open)
    .as("findings");
  const total = db.select({ n: count() }).from(findings).get()?.n ?? 0;
  return { total, rows: db.select().from(findings).orderBy(asc(findings.since)).limit(limit).all() };
}
