import { and, asc, eq, getTableColumns, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { ERROR } from "../../monit/event-types.ts";
import { PREFETCHED_EVENTS } from "../../monitoring/events/event-prefetch.postgres.ts";
import type { Check } from "../../monitoring/uptime/downtime.repository.ts";
import { atMost, bound, type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { type RowStatement, rowWriter } from "../../platform/storage/row-writer.ts";
import {
  acknowledgements,
  alerts,
  downtimeIntervals,
  events,
  hosts,
  names,
  rules,
  serviceGroupMembers,
  serviceGroups,
  services,
} from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";
import type { EventFilter } from "../rules/event-filter.ts";
import type { RuleTimes } from "./decide.ts";
import { openAlertsOf } from "./open-alerts.postgres.ts";

/** Failures of a check that are read to decide whether it flaps; the highest flapCount of a rule. */
const MAX_FLAP_COUNT = 20;

type AlertRow = typeof alerts.$inferInsert;
/** An alert when it is created. */
export type NewAlert = Pick<
  AlertRow,
  "ruleId" | "eventId" | "hostId" | "nameId" | "eventType" | "limitId" | "createdAt" | "dueAt"
>;

const { placeholder } = sql;

/**
 * Columns are written out in full: in a subquery on the same table an unqualified name would be ambiguous.
 */
const failuresOfCheck = sql`${downtimeIntervals} where ${downtimeIntervals.hostId} = ${alerts.hostId}
  and ${downtimeIntervals.nameId} = ${alerts.nameId} and ${downtimeIntervals.eventType} = ${alerts.eventType}
  and ${downtimeIntervals.limitId} = ${alerts.limitId}`;

/** When the newest failure of an alert's check began, or else its event. */
const startOfFailure = sql`coalesce((select ${downtimeIntervals.startedAt} from ${failuresOfCheck}
  order by ${downtimeIntervals.startedAt} desc limit 1), ${events.date})`;

/** The acknowledgement of the error that now represents the failure of an alert. */
const acknowledgementOfFailure = sql`from ${acknowledgements}
  join ${events} as newer on newer.id = ${acknowledgements.eventId}
  where newer.host_id = ${alerts.hostId} and newer.name_id = ${alerts.nameId} and newer.event_type = ${alerts.eventType}
  and newer.limit_id = ${alerts.limitId} and newer.date >= ${startOfFailure} and newer.active = 1 and ${acknowledgements.endedAt} is null`;

const openOfCheck = and(
  eq(alerts.hostId, placeholder("hostId")),
  eq(alerts.nameId, placeholder("nameId")),
  eq(alerts.eventType, placeholder("eventType")),
  eq(alerts.limitId, placeholder("limitId")),
  isNull(alerts.closedAt),
);

const failureRules = prepareOnce((db) =>
  db
    .select({ ruleId: alerts.ruleId })
    .from(alerts)
    .innerJoin(events, eq(events.id, alerts.eventId))
    .where(and(openOfCheck, eq(events.state, ERROR)))
    .prepare(),
);

/** What `prefetchRulesAlerted` read in the present transaction, by check. */
const prefetchedRules = oncePerTransaction(() => new Map<string, Set<number>>());

const keyOf = ({ hostId, nameId, eventType, limitId }: Check) =>
  `${hostId} ${nameId} ${eventType} ${limitId}`;

/** The rules that have an open alert for a failure of the check. */
export function rulesAlerted(db: Db, check: Check): Set<number> {
  const prefetched = prefetchedRules(db).get(keyOf(check));
  if (prefetched) return prefetched;
  const { hostId, nameId, eventType, limitId } = check;
  const rows = failureRules(db).all({ hostId, nameId, eventType, limitId });
  return new Set(rows.map(({ ruleId }) => ruleId));
}

/** Reads at once what `rulesAlerted` will be asked in this transaction. Only where the database `isRemote`. */
export function prefetchRulesAlerted(db: Db, checks: readonly Check[]): void {
  if (activeRules(db).length === 0) return;
  const known = prefetchedRules(db);
  for (const check of checks) known.set(keyOf(check), new Set());
  for (const row of openAlertsOf(db, checks)) known.get(keyOf(row))?.add(row.ruleId);
}

/** The part of a rule that decides which events match and when its first message is due. */
export interface ActiveRule extends Pick<RuleTimes, "delay" | "flapCount"> {
  id: number;
  filter: EventFilter;
  final: boolean;
}

// Raw SQL here and below: these statements run for every event, and building them costs ten times as much.
const ACTIVE_RULES = `select id, filter, final, delay, flap_count as "flapCount" from rules where enabled = 1 order by position, id`;

type ActiveRuleRow = Omit<ActiveRule, "filter"> & { filter: string };

/** Parsed filters, keyed by their stored text, since filters rarely change. */
const filtersRead = prepareOnce(() => new Map<string, EventFilter>());
const MAX_FILTERS_READ = 1000;

function filterOf(db: Db, text: string): EventFilter {
  const read = filtersRead(db);
  const known = read.get(text);
  if (known) return known;
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

const WAKE: RowStatement = {
  sqlite: `update alerts set due_at = case when due_at < ?5 then due_at else ?5 end
    where host_id = ?1 and name_id = ?2 and event_type = ?3 and limit_id = ?4 and closed_at is null`,
  // See open-alerts.postgres.ts for "offset 0".
  postgres: `update alerts set due_at = case when alerts.due_at < own.at then alerts.due_at else own.at end
    from (select open.id, at from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[])
          as given(host_id, name_id, event_type, limit_id, at)
        cross join lateral (select id from alerts where host_id = given.host_id and name_id = given.name_id
          and event_type = given.event_type and limit_id = given.limit_id and closed_at is null offset 0) as open) as own
    where alerts.id = own.id`,
};

const INSERT: RowStatement = {
  sqlite: `insert into alerts (rule_id, event_id, host_id, name_id, event_type, limit_id, created_at, due_at)
    values (?, ?, ?, ?, ?, ?, ?, ?)`,
  postgres: `insert into alerts (rule_id, event_id, host_id, name_id, event_type, limit_id, created_at, due_at)
    select * from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[], ?6::bigint[], ?7::bigint[],
      ?8::bigint[])`,
  // A new alert is due when its rule says so, and not when others of its check are.
  after: [WAKE, PREFETCHED_EVENTS],
};

const insertStatement = rowWriter<[...event: number[], createdAt: number, dueAt: number | null]>(INSERT);
const wakeStatement = rowWriter<number[]>(WAKE);

export function insertAlert(db: Db, row: NewAlert): void {
  const { ruleId, eventId, hostId, nameId, eventType, limitId, createdAt, dueAt } = row;
  prefetchedRules(db).delete(keyOf({ hostId, nameId, eventType, limitId: limitId ?? 0 }));
  insertStatement(db, ruleId, eventId, hostId, nameId, eventType, limitId ?? 0, createdAt, dueAt ?? null);
}

/**
 * Makes the open alerts of a check due, because the check failed or recovered.
 * @param at when, unix seconds
 */
export function wakeAlerts(db: Db, { hostId, nameId, eventType, limitId }: Check, at: number): void {
  wakeStatement(db, hostId, nameId, eventType, limitId, at);
}

/** Notes on the open alerts of a check that somebody acknowledged its failure: the end of that is notified. */
export function markAcknowledged(db: Db, { hostId, nameId, eventType, limitId }: Check): void {
  const ofCheck = [
    ...[eq(alerts.hostId, hostId), eq(alerts.nameId, nameId)],
    ...[eq(alerts.eventType, eventType), eq(alerts.limitId, limitId)],
  ];
  db.update(alerts)
    .set({ wasAcknowledged: true })
    .where(and(...ofCheck, isNull(alerts.closedAt)))
    .run();
}

// Runs every second. With a bound limit SQLite would plan it anew each time.
const anyDueStatement = prepareOnce((db) =>
  db.$client.prepare<null, [now: number]>("select 1 from alerts where due_at <= +?1 limit 1"),
);

/** Whether any alert is due. */
export function isAnyDue(db: Db, now: number): boolean {
  return anyDueStatement(db).get(now) !== null;
}

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
      /** End of the check's newest failure: 0 while it lasts, null if there is none. */
      failureEnd: sql<
        number | null
      >`(select coalesce(${downtimeIntervals.endedAt}, 0) from ${failuresOfCheck} order by ${downtimeIntervals.startedAt} desc limit 1)`,
      /** When the check's last failures began, newest first, as a JSON array. No rule needs more of them. */
      starts: sql<string>`(select json_group_array(start) from (select ${downtimeIntervals.startedAt} as start
        from ${failuresOfCheck} and ${downtimeIntervals.startedAt} <= ${bound("until")}
        order by ${downtimeIntervals.startedAt} desc limit ${sql.raw(String(MAX_FLAP_COUNT))}) as last_failures)`,
      /** Whether the active error of its check is dismissed: 0 or 1. Once there is none, those of the last failure count. */
      dismissed: sql<number>`coalesce((select newest.dismissed from ${events} as newest
        where newest.host_id = ${alerts.hostId} and newest.name_id = ${alerts.nameId} and newest.event_type = ${alerts.eventType}
        and newest.limit_id = ${alerts.limitId} and newest.date >= ${startOfFailure} and newest.active = 1 limit 1),
        (select newest.dismissed from ${events} as newest where newest.host_id = ${alerts.hostId} and newest.name_id = ${alerts.nameId}
        and newest.event_type = ${alerts.eventType} and newest.limit_id = ${alerts.limitId}
        and newest.date >= ${startOfFailure} and newest.dismissed = 1 limit 1), false)`,
      /** Who acknowledged the failure; null if nobody did. */
      acknowledgedBy: sql<string | null>`(select uname ${acknowledgementOfFailure})`,
      /** When that ends, unix seconds; 0: with the failure. */
      acknowledgedUntil: sql<number | null>`(select coalesce(until, 0) ${acknowledgementOfFailure})`,
    })
    .from(alerts)
    .innerJoin(events, eq(events.id, alerts.eventId))
    .innerJoin(hosts, eq(hosts.id, alerts.hostId))
    .innerJoin(names, eq(names.id, alerts.nameId))
    .where(lte(alerts.dueAt, bound("until")))
    .orderBy(asc(alerts.dueAt), asc(alerts.id))
    .limit(atMost("limit"))
    .prepare(),
);

/** Alerts due by `until`, longest due first, with everything that deciding about them needs. */
export function alertsDue(db: Db, until: number, limit: number) {
  return dueStatement(db).all({ until, limit });
}

export type DueAlert = ReturnType<typeof alertsDue>[number];

export type AlertChanges = Partial<
  Pick<
    AlertRow,
    "dueAt" | "notifiedAt" | "escalations" | "wasAcknowledged" | "flappingAt" | "closedAt" | "outcome"
  >
>;

/** Moves the times of open alerts back by `seconds`, since delays are counted from them. */
export function moveAlertsBack(db: Db, seconds: number): void {
  const moved = (column: AnySQLiteColumn) => sql`${column} - ${seconds}`;
  db.update(alerts)
    .set({
      createdAt: moved(alerts.createdAt),
      dueAt: moved(alerts.dueAt),
      notifiedAt: moved(alerts.notifiedAt),
      flappingAt: moved(alerts.flappingAt),
    })
    .where(isNull(alerts.closedAt))
    .run();
}

const updateStatement = byColumns((db, values: AlertChanges) =>
  db
    .update(alerts)
    .set(values)
    .where(sql`${alerts.id} in (select value from json_each(${sql.placeholder("ids")}))`)
    .prepare(),
);

export function updateAlerts(db: Db, ids: readonly number[], changes: AlertChanges): void {
  if (ids.length > 0) updateStatement(db, changes).run({ ...changes, ids: JSON.stringify(ids) });
}

/** Why there is no message yet: the rule's delay, or the wait that groups simultaneous events. */
const NOT_YET = "waits for the rule's delay, or for others to go along";

/** The rules that matched an event without sending a message, and the reason. */
export function suppressed(db: Db, eventId: number): { rule: string; reason: string }[] {
  const waits = and(isNull(alerts.closedAt), isNull(alerts.notifiedAt));
  const rows = db
    .select({ rule: rules.name, reason: alerts.outcome })
    .from(alerts)
    .innerJoin(rules, eq(rules.id, alerts.ruleId))
    .where(and(eq(alerts.eventId, eventId), or(ne(alerts.outcome, ""), waits)))
    .orderBy(asc(rules.position), asc(rules.id))
    .all();
  return rows.map(({ rule, reason }) => ({ rule, reason: reason || NOT_YET }));
}

const groupsOfService = prepareOnce((db) =>
  db
    .select({ name: serviceGroups.name })
    .from(services)
    .innerJoin(serviceGroupMembers, eq(serviceGroupMembers.serviceId, services.id))
    .innerJoin(serviceGroups, eq(serviceGroups.id, serviceGroupMembers.groupId))
    .where(and(eq(services.hostId, placeholder("hostId")), eq(services.nameId, placeholder("nameId"))))
    .prepare(),
);

/** Names of the service groups of a service. */
export function serviceGroupsOf(db: Db, hostId: number, nameId: number): string[] {
  return groupsOfService(db)
    .all({ hostId, nameId })
    .map(({ name }) => name);
}

const nameById = prepareOnce((db) =>
  db
    .select({ name: names.name })
    .from(names)
    .where(eq(names.id, placeholder("id")))
    .prepare(),
);

/** Names that were read in the present transaction, by id: the events of a flush share few. */
const namesRead = oncePerTransaction(() => new Map<number, string>());

export function nameOf(db: Db, id: number): string {
  const known = namesRead(db);
  const name = known.get(id) ?? nameById(db).get({ id })?.name ?? "";
  known.set(id, name);
  return name;
}
