import { and, asc, eq, getTableColumns, isNull, lte, ne, not, or, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  CHECK_VALUES,
  type Check,
  checkKey,
  isSameCheck,
  ofCheck,
} from "../../monitoring/uptime/downtime.repository.ts";
import { type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { changeRows, insertRows, queryRows, type RowsQuery, writeRows } from "../../platform/storage/rows.ts";
import {
  acknowledgements,
  alerts,
  deletedHosts,
  downtimeIntervals,
  events,
  type healthAlerts,
  hosts,
  names,
  rules,
} from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";
import { HIDDEN, isTrue, jsonList, listOf, TRUE } from "../../platform/storage/words.ts";
import type { EventFilter } from "../rules/event-filter.ts";
import { MAX_FLAP_COUNT } from "../rules/rule-bounds.ts";
import type { RuleTimes } from "./decide.ts";
import type { Reported } from "./deliveries.repository.ts";

type AlertRow = typeof alerts.$inferInsert;
/** An alert when it is created. */
export type NewAlert = Pick<
  AlertRow,
  "ruleId" | "eventId" | "hostId" | "nameId" | "eventType" | "limitId" | "createdAt" | "dueAt"
>;

/**
 * Columns are written out in full: in a subquery on the same table an unqualified name would be ambiguous.
 */
const failuresOfCheck = sql`${downtimeIntervals} where ${downtimeIntervals.hostId} = ${alerts.hostId}
  and ${downtimeIntervals.nameId} = ${alerts.nameId} and ${downtimeIntervals.eventType} = ${alerts.eventType}
  and ${downtimeIntervals.limitId} = ${alerts.limitId}`;

/** When the alert of the same rule about an earlier failure of the check is next decided; null if none is open. */
const earlierDueAt = sql<number | null>`(select max(coalesce(earlier.due_at, 0)) from ${alerts} as earlier
  where earlier.host_id = ${alerts.hostId} and earlier.name_id = ${alerts.nameId}
  and earlier.event_type = ${alerts.eventType} and earlier.limit_id = ${alerts.limitId} and earlier.closed_at is null
  and earlier.rule_id = ${alerts.ruleId} and earlier.ended_at is not null and earlier.id < ${alerts.id})`;

/** When the newest failure of an alert's check began, or otherwise its event. */
const startOfFailure = sql`coalesce((select ${downtimeIntervals.startedAt} from ${failuresOfCheck}
  order by ${downtimeIntervals.startedAt} desc limit 1), ${events.date})`;

/** The acknowledgement of the error that now represents the failure of an alert. */
const acknowledgementOfFailure = sql`from ${acknowledgements}
  join ${events} as newer on newer.id = ${acknowledgements.eventId}
  where newer.host_id = ${alerts.hostId} and newer.name_id = ${alerts.nameId} and newer.event_type = ${alerts.eventType}
  and newer.limit_id = ${alerts.limitId} and newer.date >= ${startOfFailure} and newer.active = ${isTrue} and ${acknowledgements.endedAt} is null`;

/**
 * The condition that a sent alert has reported the end of its failure, or has nothing left to report. Alerts of a
 * disabled rule are closed with a reason and report nothing, so they do not match.
 */
export function hasReportedEnd({ endedAt, closedAt, outcome }: typeof alerts | typeof healthAlerts): SQL {
  return sql`(${endedAt} is not null or (${closedAt} is not null and ${outcome} = ''))`;
}

const openOfCheck = (table: string) => `${isSameCheck(table, "rows")} and ${table}.closed_at is null`;

/** An open alert for a failure. */
export interface OpenAlert {
  id: number;
  ruleId: number;
  /** When its event happened, unix seconds. */
  failedAt: number;
  /** When the first message was created; null if there is none yet. */
  notifiedAt: number | null;
  /** When the check was reported as flapping; null if it was not. */
  flappingAt: number | null;
  /** When the failure began that outlasted the flapping of the check; null if none did. */
  followedFrom: number | null;
  /** When its failure ended, if the check has failed again since; null if it follows the newest failure. */
  endedAt: number | null;
  /** Why notification has been suppressed; "" if it has not. */
  outcome: string;
}

/** The open alerts for failures, with the numbers of their checks in the list, from 1. */
const openAlerts: RowsQuery<typeof CHECK_VALUES, OpenAlert & { nth: number }> = queryRows(
  CHECK_VALUES,
  ({ rows, lookUp }) => `select rows.nth, open.id, open.rule_id as "ruleId", events.date as "failedAt",
      open.notified_at as "notifiedAt", open.flapping_at as "flappingAt", open.followed_from as "followedFrom",
      open.ended_at as "endedAt", open.outcome
    from ${rows} ${lookUp("alerts", "open", openOfCheck("open"))} join events on events.id = open.event_id and events.state = 1`,
);

/** What `prefetchAlertsOf` read in the present transaction, by check. */
const prefetchedAlerts = oncePerTransaction(() => new Map<string, OpenAlert[]>());

/** The open alerts for a failure of the check. */
export function alertsOf(db: Db, check: Check): readonly OpenAlert[] {
  return prefetchedAlerts(db).get(checkKey(check)) ?? openAlerts(db, [check]);
}

/** Reads in one statement what `alertsOf` will return for these checks in this transaction. */
export function prefetchAlertsOf(db: Db, checks: readonly Check[]): void {
  if (activeRules(db).length === 0) return;
  const lists = checks.map((): OpenAlert[] => []);
  for (const { nth, ...alert } of openAlerts(db, checks)) lists[nth - 1]?.push(alert);
  const prefetched = prefetchedAlerts(db);
  for (const [i, check] of checks.entries()) prefetched.set(checkKey(check), lists[i] ?? []);
}

/** The part of a rule that decides which events match, when its first message is due, and how long a check flaps. */
export interface ActiveRule extends Pick<RuleTimes, "delay" | "flapcount" | "flapwindow"> {
  id: number;
  filter: EventFilter;
  final: boolean;
}

// Raw SQL: it runs in every transaction that stores events, and building it would cost ten times as much.
const ACTIVE_RULES = `select id, filter, final, delay, flap_count as "flapcount", flap_window as "flapwindow"
  from rules where enabled = ${TRUE} order by position, id`;

type ActiveRuleRow = Omit<ActiveRule, "filter"> & { filter: string };

/** Parsed filters, keyed by their stored text, since filters rarely change. */
const filtersRead = prepareOnce(() => new Map<string, EventFilter>());
const MAX_FILTERS_READ = 1000;

function filterOf(db: Db, text: string): EventFilter {
  const read = filtersRead(db);
  const cached = read.get(text);
  if (cached) return cached;
  if (read.size >= MAX_FILTERS_READ) read.clear();
  const filter = JSON.parse(text) as EventFilter;
  read.set(text, filter);
  return filter;
}

/** The enabled rules, in their order. A transaction that stores events changes no rules. */
export const activeRules = oncePerTransaction((db): ActiveRule[] => {
  const rows = db.$client.query(ACTIVE_RULES).all() as ActiveRuleRow[];
  return rows.map((row) => ({ ...row, filter: filterOf(db, row.filter) }));
});

const insertStatement = insertRows(
  alerts,
  ["ruleId", "eventId", "hostId", "nameId", "eventType", "limitId", "createdAt", "dueAt"],
  "hostId",
);

const closeStatement = changeRows(alerts, ["id"], ["dueAt", "closedAt", "outcome"], "hostId");

const endStatement = changeRows(alerts, ["id"], ["dueAt", "endedAt"], "hostId");

const wakeStatement = writeRows({ ...CHECK_VALUES, at: "integer" }, "hostId", ({ update }) =>
  update(
    "alerts",
    "due_at = case when alerts.due_at < rows.at then alerts.due_at else rows.at end",
    openOfCheck,
  ),
);

/**
 * Stores an alert in the transaction of its event. Without `dueAt` it waits until its check fails again or recovers.
 */
export function insertAlert(db: Db, row: NewAlert): void {
  const alert = { ...row, limitId: row.limitId ?? 0, dueAt: row.dueAt ?? null };
  prefetchedAlerts(db).delete(checkKey(alert));
  insertStatement(db, alert);
}

/** Closes an alert for a failure within the transaction of an event of its check. @param at unix seconds */
export function closeAlert(db: Db, id: number, check: Check, outcome: string, at: number): void {
  prefetchedAlerts(db).delete(checkKey(check));
  closeStatement(db, { id, hostId: check.hostId, dueAt: null, closedAt: at, outcome });
}

/**
 * Separates an alert from the further failures of its check, within the transaction of an event of the check. What is
 * left to report is the end of its own failure.
 * @param endedAt when that ended, unix seconds @param at now, unix seconds
 */
export function endAlert(db: Db, id: number, check: Check, endedAt: number, at: number): void {
  prefetchedAlerts(db).delete(checkKey(check));
  endStatement(db, { id, hostId: check.hostId, dueAt: at, endedAt });
}

/**
 * Makes the open alerts of a check due, because the check failed or recovered.
 * @param at when, unix seconds
 */
export function wakeAlerts(db: Db, { hostId, nameId, eventType, limitId }: Check, at: number): void {
  wakeStatement(db, { hostId, nameId, eventType, limitId, at });
}

/**
 * Notes on the open alerts of a check that its failure was acknowledged: when that ends, recipients are notified
 * again.
 */
export function markAcknowledged(db: Db, check: Check): void {
  db.update(alerts)
    .set({ wasAcknowledged: true })
    .where(and(ofCheck(alerts, check), isNull(alerts.closedAt)))
    .run();
}

// Runs every second. With a bound limit SQLite would plan it anew each time.
const anyDueStatement = prepareOnce((db) =>
  db.$client.prepare<null, [now: number]>(`select 1 from alerts where due_at <= ${HIDDEN}?1 limit 1`),
);

/** Whether any alert is due. */
function isAnyDue(db: Db, now: number): boolean {
  return anyDueStatement(db).get(now) !== null;
}

/**
 * A host is restored in steps. Until the last one, things that its alerts depend on may be missing, such as open
 * failures.
 */
const isOfRestoring = sql`exists (select 1 from ${deletedHosts} where ${deletedHosts.hostId} = ${alerts.hostId}
  and ${deletedHosts.state} = 'restoring')`;

const dueStatement = prepareOnce((db) =>
  db
    .select({
      ...getTableColumns(alerts),
      state: events.state,
      failedAt: events.date,
      serviceType: events.serviceType,
      severity: events.severity,
      hostname: hosts.hostname,
      hostStatus: hosts.status,
      serviceName: names.name,
      earlierDueAt,
      /** End of the check's newest failure: 0 while it lasts, null if there is none. */
      failureEnd: sql<
        number | null
      >`(select coalesce(${downtimeIntervals.endedAt}, 0) from ${failuresOfCheck} order by ${downtimeIntervals.startedAt} desc limit 1)`,
      /** When the check's last failures began, newest first, as a JSON array. It has as many as any rule needs. */
      starts: sql<string>`(select ${sql.raw(jsonList("start"))} from (select ${downtimeIntervals.startedAt} as start
        from ${failuresOfCheck} and ${downtimeIntervals.startedAt} <= ${sql.placeholder("until")}
        order by ${downtimeIntervals.startedAt} desc limit ${sql.raw(String(MAX_FLAP_COUNT))}) as last_failures)`,
      /**
       * Whether the active error of its check is dismissed: 0 or 1. After the recovery, the errors of the last
       * failure count.
       */
      dismissed: sql<number>`coalesce((select newest.dismissed from ${events} as newest
        where newest.host_id = ${alerts.hostId} and newest.name_id = ${alerts.nameId} and newest.event_type = ${alerts.eventType}
        and newest.limit_id = ${alerts.limitId} and newest.date >= ${startOfFailure} and newest.active = ${isTrue} limit 1),
        (select newest.dismissed from ${events} as newest where newest.host_id = ${alerts.hostId} and newest.name_id = ${alerts.nameId}
        and newest.event_type = ${alerts.eventType} and newest.limit_id = ${alerts.limitId}
        and newest.date >= ${startOfFailure} and newest.dismissed = ${isTrue} limit 1), false)`,
      /** Who acknowledged the failure; null if nobody did. */
      acknowledgedBy: sql<string | null>`(select uname ${acknowledgementOfFailure})`,
      /** When the acknowledgement ends, unix seconds; 0: with the failure. */
      acknowledgedUntil: sql<number | null>`(select coalesce(until, 0) ${acknowledgementOfFailure})`,
    })
    .from(alerts)
    .innerJoin(events, eq(events.id, alerts.eventId))
    .innerJoin(hosts, eq(hosts.id, alerts.hostId))
    .innerJoin(names, eq(names.id, alerts.nameId))
    .where(and(lte(alerts.dueAt, sql.placeholder("until")), not(isOfRestoring)))
    .orderBy(asc(alerts.dueAt), asc(alerts.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/**
 * Alerts due by `until`, longest due first, with everything that deciding about them needs. Alerts of a host that is
 * being restored are left out until the host is complete.
 */
function alertsDue(db: Db, until: number, limit: number) {
  return dueStatement(db).all({ until, limit });
}

export type DueAlert = ReturnType<typeof alertsDue>[number];

/** New values of the columns that decisions about an alert change. */
export type AlertChanges = Partial<
  Pick<
    AlertRow,
    | "dueAt"
    | "notifiedAt"
    | "escalations"
    | "wasAcknowledged"
    | "flappingAt"
    | "followedFrom"
    | "endedAt"
    | "closedAt"
    | "outcome"
  >
>;

/** `AlertStore.moveBack` for a table of alerts. */
export function movingBack(table: typeof alerts | typeof healthAlerts): AlertStore["moveBack"] {
  const { createdAt, dueAt, notifiedAt, flappingAt, closedAt } = table;
  return (db, seconds) => {
    const moved = (column: AnySQLiteColumn) => sql`${column} - ${seconds}`;
    db.update(table)
      .set({
        createdAt: moved(createdAt),
        dueAt: moved(dueAt),
        notifiedAt: moved(notifiedAt),
        flappingAt: moved(flappingAt),
      })
      .where(isNull(closedAt))
      .run();
  };
}

const updateStatement = byColumns((db, values: AlertChanges) =>
  db
    .update(alerts)
    .set(values)
    .where(sql`${alerts.id} in ${listOf(sql.placeholder("ids"))}`)
    .prepare(),
);

function updateAlerts(db: Db, ids: readonly number[], changes: AlertChanges): void {
  if (ids.length > 0) updateStatement(db, changes).run({ ...changes, ids: JSON.stringify(ids) });
}

/** Where alerts are stored: those about events of hosts, or those about failures of Muster itself. */
export interface AlertStore {
  readonly reported: Reported;
  /** Whether any alert is due. */
  isAnyDue: (db: Db, now: number) => boolean;
  /** Alerts due by `until`, longest due first; `eventId` is the id of what they report. */
  due: (db: Db, until: number, limit: number) => DueAlert[];
  update: (db: Db, ids: readonly number[], changes: AlertChanges) => void;
  /** Moves the times of open alerts back by `seconds`, since delays count from them. */
  moveBack: (db: Db, seconds: number) => void;
}

/** The alerts about events of hosts. */
export const eventAlertStore: AlertStore = {
  reported: "events",
  isAnyDue,
  due: alertsDue,
  update: updateAlerts,
  moveBack: movingBack(alerts),
};

/** Why there is no message yet: the rule's delay, or the wait that groups simultaneous events. */
const NOT_YET = "waiting for the rule's delay, or to be grouped with other events";

/** Rules that matched one of the events without sending a message, and why. */
export function suppressed(db: Db, eventIds: readonly number[]): { rule: string; reason: string }[] {
  const waits = and(isNull(alerts.closedAt), isNull(alerts.notifiedAt));
  const rows = db
    .select({ rule: rules.name, reason: alerts.outcome })
    .from(alerts)
    .innerJoin(rules, eq(rules.id, alerts.ruleId))
    .where(and(sql`${alerts.eventId} in ${listOf(eventIds)}`, or(ne(alerts.outcome, ""), waits)))
    .orderBy(asc(rules.position), asc(rules.id), asc(alerts.id))
    .all();
  return rows.map(({ rule, reason }) => ({ rule, reason: reason || NOT_YET }));
}
