/** Alerts about failures of Muster itself. They have the columns of alerts about events, but no host. */
import { and, asc, eq, getTableColumns, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { ERROR } from "../../monit/event-types.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  deliveries,
  deliveryFindings,
  findingAcknowledgements,
  healthAlerts,
  healthFindings,
} from "../../platform/storage/schema.ts";
import { HIDDEN, jsonList } from "../../platform/storage/words.ts";
import { MAX_FLAP_COUNT } from "../rules/rule-bounds.ts";
import { type AlertChanges, type AlertStore, type DueAlert, movingBack } from "./alerts.repository.ts";
import { MUSTER, type NotifiedEvent } from "./message-text.ts";

/** Values of columns that only alerts about events have. */
export const NO_HOST = {
  hostId: 0,
  nameId: 0,
  eventType: 0,
  limitId: 0,
  serviceType: -1,
  hostname: MUSTER,
  hostStatus: HOST_STATUS.active,
  serviceName: "",
  state: ERROR,
  dismissed: 0,
} as const;

/** The check of Muster's own health, and what it is about. */
export type HealthCheckKey = Pick<typeof healthFindings.$inferSelect, "code" | "subject">;

/** The severity of failures of Muster as rules filter by it: that of limits. */
export const SEVERITIES = { warning: 1, critical: 2 } as const;

// Runs every second. With a bound limit SQLite would plan it anew each time.
const anyDueStatement = prepareOnce((db) =>
  db.$client.prepare<null, [now: number]>(`select 1 from health_alerts where due_at <= ${HIDDEN}?1 limit 1`),
);

/** All failures of the check that an alert is about. */
const ofSameCheck = sql`from ${healthFindings} as same where same.code = ${healthFindings.code}
  and same.subject = ${healthFindings.subject} and same.opened_at is not null`;

/** The acknowledgement of what the check of an alert finds now. */
const acknowledgementOfCheck = sql`from ${findingAcknowledgements}
  join ${healthFindings} as lasting on lasting.id = ${findingAcknowledgements.findingId}
  where lasting.code = ${healthFindings.code} and lasting.subject = ${healthFindings.subject}
  and lasting.ended_at is null and ${findingAcknowledgements.endedAt} is null`;

const dueStatement = prepareOnce((db) =>
  db
    .select({
      ...getTableColumns(healthAlerts),
      failedAt: healthFindings.since,
      severity: healthFindings.severity,
      earlierDueAt: sql<
        number | null
      >`(select max(coalesce(earlier.due_at, 0)) from ${healthAlerts} as earlier
        join ${healthFindings} as same on same.id = earlier.finding_id where same.code = ${healthFindings.code}
        and same.subject = ${healthFindings.subject} and earlier.rule_id = ${healthAlerts.ruleId}
        and earlier.closed_at is null and earlier.ended_at is not null and earlier.id < ${healthAlerts.id})`,
      /** End of the check's newest failure: 0 while it lasts. */
      failureEnd: sql<number>`(select coalesce(same.ended_at, 0) ${ofSameCheck} order by same.since desc limit 1)`,
      /** When the check's last failures began, newest first, as a JSON array. */
      starts: sql<string>`(select ${sql.raw(jsonList("start"))} from (select same.opened_at as start
        ${ofSameCheck} order by same.since desc limit ${sql.raw(String(MAX_FLAP_COUNT))}) as last_failures)`,
      /** Who acknowledged the failure; null if nobody did. */
      acknowledgedBy: sql<string | null>`(select uname ${acknowledgementOfCheck})`,
      /** When the acknowledgement ends, unix seconds; 0: with the failure. */
      acknowledgedUntil: sql<number | null>`(select coalesce(until, 0) ${acknowledgementOfCheck})`,
    })
    .from(healthAlerts)
    .innerJoin(healthFindings, eq(healthFindings.id, healthAlerts.findingId))
    .where(lte(healthAlerts.dueAt, sql.placeholder("until")))
    .orderBy(asc(healthAlerts.dueAt), asc(healthAlerts.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

function dueAlerts(db: Db, until: number, limit: number): DueAlert[] {
  return dueStatement(db)
    .all({ until, limit })
    .map(({ findingId, severity, ...alert }) => ({
      ...NO_HOST,
      ...alert,
      eventId: findingId,
      severity: SEVERITIES[severity],
    }));
}

function update(db: Db, ids: readonly number[], changes: AlertChanges): void {
  db.update(healthAlerts)
    .set(changes)
    .where(inArray(healthAlerts.id, [...ids]))
    .run();
}

/** The alerts about failures of Muster itself. */
export const healthAlertStore: AlertStore = {
  reported: "findings",
  isAnyDue: (db, now) => anyDueStatement(db).get(now) !== null,
  due: dueAlerts,
  update,
  moveBack: movingBack(healthAlerts),
};

/**
 * The open alerts of a check. Each has the time at which its own failure opened, and those at which the last ended
 * failure of the check opened and ended.
 */
export function openHealthAlerts(db: Db, { code, subject }: HealthCheckKey) {
  return db
    .select({
      id: healthAlerts.id,
      ruleId: healthAlerts.ruleId,
      createdAt: healthAlerts.createdAt,
      notifiedAt: healthAlerts.notifiedAt,
      flappingAt: healthAlerts.flappingAt,
      followedFrom: healthAlerts.followedFrom,
      endedAt: healthAlerts.endedAt,
      outcome: healthAlerts.outcome,
      failureOpenedAt: healthFindings.openedAt,
      lastOpenedAt: sql<
        number | null
      >`(select max(same.opened_at) ${ofSameCheck} and same.ended_at is not null)`,
      lastEnd: sql<number | null>`(select max(same.ended_at) ${ofSameCheck})`,
    })
    .from(healthAlerts)
    .innerJoin(healthFindings, eq(healthFindings.id, healthAlerts.findingId))
    .where(
      and(eq(healthFindings.code, code), eq(healthFindings.subject, subject), isNull(healthAlerts.closedAt)),
    )
    .all();
}

export type OpenHealthAlert = ReturnType<typeof openHealthAlerts>[number];

/** Like `closeAlert` for a failure of a host. @param at unix seconds */
export function closeHealthAlert(db: Db, id: number, outcome: string, at: number): void {
  update(db, [id], { dueAt: null, closedAt: at, outcome });
}

/** Like `endAlert` for a failure of a host. @param endedAt, at unix seconds */
export function endHealthAlert(db: Db, id: number, endedAt: number, at: number): void {
  update(db, [id], { dueAt: at, endedAt });
}

/**
 * Stores an alert about Muster itself in place of a closed one; does nothing if the rule has an open one for the
 * finding.
 */
export function insertHealthAlert(db: Db, row: typeof healthAlerts.$inferInsert): void {
  const { findingId, ruleId, closedAt } = healthAlerts;
  db.delete(healthAlerts)
    .where(and(eq(findingId, row.findingId), eq(ruleId, row.ruleId), isNotNull(closedAt)))
    .run();
  db.insert(healthAlerts).values(row).onConflictDoNothing().run();
}

/** Makes the open alerts of a check due, because it failed or recovered. @param at unix seconds */
export function wakeHealthAlerts(db: Db, check: HealthCheckKey, at: number): void {
  const ids = openHealthAlerts(db, check).map(({ id }) => id);
  if (ids.length > 0) update(db, ids, { dueAt: at });
}

/** Like `markAcknowledged` for a failure of a host. */
export function markFindingAcknowledged(db: Db, check: HealthCheckKey): void {
  const ids = openHealthAlerts(db, check).map(({ id }) => id);
  if (ids.length > 0) update(db, ids, { wasAcknowledged: true });
}

/**
 * A failure of Muster as messages report it.
 * @param at stands for the end of the failure if that is not known, unix seconds
 */
export function notifiedFinding(
  { id, code, subject, text, advice, since, endedAt }: typeof healthFindings.$inferSelect,
  at: number,
): NotifiedEvent & HealthCheckKey {
  return {
    id,
    code,
    subject,
    hostId: NO_HOST.hostId,
    hostname: MUSTER,
    service: code,
    eventType: NO_HOST.eventType,
    state: ERROR,
    message: text,
    advice,
    date: since,
    failedAt: since,
    endedAt: endedAt ?? at,
  };
}

/**
 * The failures of Muster that a message reports, in the order in which they were found. If the check flapped, each ends
 * with the newest failure that its alert was about.
 * @param at when the message was created, unix seconds
 */
export function findingsOfDelivery(
  db: Db,
  deliveryId: number,
  at: number,
): (NotifiedEvent & HealthCheckKey)[] {
  const endOfAlert = sql`(select past.ended_at from ${healthAlerts} as past
    where past.finding_id = ${healthFindings.id} and past.rule_id = ${deliveries.ruleId})`;
  const newestEnd = sql`(select same.ended_at ${ofSameCheck} and same.since <= ${at} order by same.since desc limit 1)`;
  return db
    .select({
      ...getTableColumns(healthFindings),
      endedAt: sql<number | null>`coalesce(${endOfAlert}, ${newestEnd})`,
    })
    .from(deliveryFindings)
    .innerJoin(deliveries, eq(deliveries.id, deliveryFindings.deliveryId))
    .innerJoin(healthFindings, eq(healthFindings.id, deliveryFindings.findingId))
    .where(eq(deliveryFindings.deliveryId, deliveryId))
    .orderBy(asc(healthFindings.id))
    .all()
    .map((finding) => notifiedFinding(finding, at));
}
