import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  max,
  ne,
  or,
  sql,
} from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { Scope } from "../../platform/http/scope.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  events,
  hosts,
  type LimitStateRow,
  limitStates,
  limits,
  revisions,
  sampleLayouts,
  services,
} from "../../platform/storage/schema.ts";
import { HIDDEN, listOf } from "../../platform/storage/words.ts";
import { allMemberships } from "../groups/groups.repository.ts";
import { HOST_STATUS } from "../health/health.ts";
import { idsOf } from "../history/history.repository.ts";
import { inScope } from "../scope/scope.repository.ts";
import { tagsOfHosts } from "../tags/tags.repository.ts";
import { anyCheck, type Check, ofCheck } from "../uptime/downtime.repository.ts";
import type { LimitedStatistic } from "./host-limits.ts";
import type { Limit } from "./limit.ts";

/** A limit, and whether it was deleted while its failures are still being ended. */
export type LimitRow = Limit & { deleted: boolean };

export const limitRows = new NamedRows<LimitRow>(limits);

/** Every limit that is not deleted, in the order of their creation. */
export function allLimits(db: Db): LimitRow[] {
  return limitRows.all(db).filter(({ deleted }) => !deleted);
}

/** Number of limits that are not deleted. */
export function countLimits(db: Db): number {
  return countRows(db, limits, eq(limits.deleted, false));
}

/** A disabled limit with open failures, or a deleted one that still has a row; undefined if there is none. */
export function findEndingLimit(db: Db): LimitRow | undefined {
  const ofLimit = db
    .select({ id: limitStates.limitId })
    .from(limitStates)
    .where(eq(limitStates.limitId, limits.id));
  const isEnding = or(limits.deleted, and(eq(limits.enabled, false), exists(ofLimit)));
  const ending = db.select().from(limits).where(isEnding).orderBy(asc(limits.id)).limit(1);
  return ending.get() as LimitRow | undefined;
}

/** The fields that decide which values are compared, and with which side of the bounds. */
const MEASURE = ["statistics", "descriptor", "perprocessor", "direction", "period"] as const;

/** How many of the newest changes of limits are read. Failures from before older changes have long ended. */
const CHANGES_READ = 1000;

/** When a limit was last changed, unix seconds. */
export interface LimitChanges {
  /** When anything about it was last changed, or when it was created. */
  at: number;
  /** When a field of `MEASURE` was last changed, so that it measures something else; 0: never. */
  remeasuredAt: number;
}

/** The last changes of limits, by their ids. */
export function changesOfLimits(db: Db): ReadonlyMap<number, LimitChanges> {
  const { objectId, until, content, kind } = revisions;
  const newest = db
    .select({ objectId, until, content })
    .from(revisions)
    .where(eq(kind, "limits"))
    .orderBy(desc(until))
    .limit(CHANGES_READ)
    .as("newest");
  const isOfMeasure = or(...MEASURE.map((name) => sql`${newest.content} like ${`%"${name}":%`}`));
  const rows = db
    .select({
      id: newest.objectId,
      at: max(newest.until),
      remeasuredAt: sql<number | null>`max(case when ${isOfMeasure} then ${newest.until} end)`,
    })
    .from(newest)
    .groupBy(newest.objectId)
    .all();
  return new Map(
    rows.map(({ id, at, remeasuredAt }) => [id, { at: at ?? 0, remeasuredAt: Number(remeasuredAt ?? 0) }]),
  );
}

/** A placeholder for each column of a state. */
function statePlaceholders() {
  const names = Object.keys(getTableColumns(limitStates));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as unknown as LimitStateRow;
}

/** For each column, the value of the row that could not be inserted. It replaces the one of the stored state. */
function newState() {
  const columns = Object.entries(getTableColumns(limitStates));
  return Object.fromEntries(columns.map(([key]) => [key, sql.raw(`excluded.${toSnakeCase(key)}`)]));
}

const ofStatePlaceholder = and(
  eq(limitStates.limitId, sql.placeholder("limitId")),
  eq(limitStates.hostId, sql.placeholder("hostId")),
  eq(limitStates.nameId, sql.placeholder("nameId")),
);

const statements = prepareOnce((db) => ({
  saveState: db
    .insert(limitStates)
    .values(statePlaceholders())
    .onConflictDoUpdate({
      target: [limitStates.limitId, limitStates.hostId, limitStates.nameId],
      set: newState(),
    })
    .prepare(),
  deleteState: db.delete(limitStates).where(ofStatePlaceholder).prepare(),
  setServiceLevel: db
    .update(services)
    .set({
      limitLevel: sql`${sql.placeholder("limitLevel")}`,
      led: sql`${sql.placeholder("led")}`,
    })
    .where(eq(services.id, sql.placeholder("serviceId")))
    .prepare(),
  statesOfHost: db
    .select()
    .from(limitStates)
    .where(eq(limitStates.hostId, sql.placeholder("hostId")))
    .prepare(),
  /** Raw SQL: a host has many statistics, and rows of the query builder cost ten times as much. */
  statistics: db.$client.prepare<LimitedStatistic, [number]>(
    `select statistics.id, services.id as "serviceId", services.name_id as "nameId", names.name as "serviceName",
       services.type as "serviceType", statistics.type, descriptor
     from services join names on names.id = services.name_id join statistics on service_id = services.id
     where host_id = ${HIDDEN}? and vanished_at is null and monitor_state <> 0 and text is null
     order by services.id, statistics.id`,
  ),
  layout: db
    .select({ ids: sampleLayouts.statisticIds })
    .from(sampleLayouts)
    .where(eq(sampleLayouts.id, sql.placeholder("layoutId")))
    .prepare(),
  exceeded: db
    .select({
      nameId: limitStates.nameId,
      id: limits.id,
      name: limits.name,
      level: limitStates.level,
      since: limitStates.openedAt,
    })
    .from(limitStates)
    .innerJoin(limits, eq(limits.id, limitStates.limitId))
    .where(and(eq(limitStates.hostId, sql.placeholder("hostId")), sql`${limitStates.level} > 0`))
    .orderBy(asc(limits.name), asc(limits.id))
    .prepare(),
  lastReport: db
    .select({ at: hosts.lastmodified, deadline: hosts.deadline })
    .from(hosts)
    .where(eq(hosts.id, sql.placeholder("hostId")))
    .prepare(),
  lastMicrosecond: db
    .select({ at: max(events.collectedUsec) })
    .from(events)
    .where(and(ofCheck(events, anyCheck), eq(events.date, sql.placeholder("date"))))
    .prepare(),
}));

/** The first microsecond of a second, unix time, that is after every event of a check in that second. */
export function freeMicrosecond(db: Db, { hostId, nameId, eventType, limitId }: Check, date: number): number {
  const last = statements(db).lastMicrosecond.get({ hostId, nameId, eventType, limitId, date })?.at;
  return last == null ? 0 : last + 1;
}

/** The stored states of limits of a host, in any order. Limits that are within bounds have none. */
export function statesOfHost(db: Db, hostId: number): LimitStateRow[] {
  return statements(db).statesOfHost.all({ hostId });
}

/** The numeric statistics that the monitored services of a host have or had. */
export function statisticsForLimits(db: Db, hostId: number): LimitedStatistic[] {
  return statements(db).statistics.all(hostId);
}

/** Positions of the statistics in samples of a layout, by their ids. */
export function positionsIn(db: Db, layoutId: number): Map<number, number> {
  const bytes = statements(db).layout.get({ layoutId })?.ids ?? Buffer.alloc(0);
  return new Map(Array.from(idsOf(bytes), (id, position) => [id, position]));
}

/** Every host with the fields that limits need, by name. */
export function hostsForLimits(db: Db) {
  const groups = Map.groupBy(allMemberships(db, "all"), ({ hostId }) => hostId);
  const rows = db
    .select({
      hostId: hosts.id,
      hostname: hosts.hostname,
      cpuCount: hosts.cpuCount,
      skew: hosts.skew,
      poll: hosts.poll,
    })
    .from(hosts)
    .where(ne(hosts.status, HOST_STATUS.ignored))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .all();
  const tags = tagsOfHosts(
    db,
    rows.map(({ hostId }) => hostId),
  );
  return rows.map((host) => ({
    ...host,
    hostGroupIds: (groups.get(host.hostId) ?? []).map(({ groupId }) => groupId),
    tags: tags(host.hostId),
  }));
}

/** The next hosts by id that are down and have at least this many services. */
export function hostsDownWithServices(db: Db, services: number, after: number, limit: number): number[] {
  const isDown = and(
    eq(hosts.status, HOST_STATUS.inactive),
    eq(hosts.heartbeat, 0),
    eq(hosts.stopped, false),
  );
  const rows = db
    .select({ id: hosts.id })
    .from(hosts)
    .where(and(isDown, gte(hosts.servicesTotal, services), gt(hosts.id, after)));
  return rows
    .orderBy(asc(hosts.id))
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

/** When the last message of a host was received, and when the next one is expected at the latest, unix seconds. */
export function lastReportOf(db: Db, hostId: number): { at: number; deadline: number } {
  return statements(db).lastReport.get({ hostId }) ?? { at: 0, deadline: 0 };
}

/**
 * Stores the state of a limit for a service, replacing the previous one. A limit within bounds has none:
 * `deleteState`.
 */
export function saveState(db: Db, row: LimitStateRow): void {
  statements(db).saveState.run({ ...row });
}

type StateKey = Pick<LimitStateRow, "limitId" | "hostId" | "nameId">;

/** Deletes the state of a limit for a service; does nothing if there is none. */
export function deleteState(db: Db, { limitId, hostId, nameId }: StateKey): void {
  statements(db).deleteState.run({ limitId, hostId, nameId });
}

/** Some states of a limit, by host. @param limit how many at most */
export function statesOfLimit(db: Db, limitId: number, limit: number): LimitStateRow[] {
  const rows = db.select().from(limitStates).where(eq(limitStates.limitId, limitId));
  return rows.orderBy(asc(limitStates.hostId), asc(limitStates.nameId)).limit(limit).all();
}

/** The present service of a host with this name, with the columns that limits change. */
export function serviceOfState(db: Db, { hostId, nameId }: Pick<StateKey, "hostId" | "nameId">) {
  const { id, type, monitorState, status, statusHint, limitLevel, led } = services;
  return db
    .select({ id, type, monitorState, status, statusHint, limitLevel, led })
    .from(services)
    .where(and(eq(services.hostId, hostId), eq(services.nameId, nameId), isNull(services.vanishedAt)))
    .get();
}

/** Sets the highest level of the limits that a service exceeds, and the LED that follows from it. */
export function setServiceLevel(db: Db, serviceId: number, limitLevel: number, led: 0 | 1 | 2 | 3): void {
  statements(db).setServiceLevel.run({ serviceId, limitLevel, led });
}

/** The highest level of the limits that a service of a host exceeds; 0: none. */
export function worstLevel(db: Db, { hostId, nameId }: Pick<StateKey, "hostId" | "nameId">): number {
  const row = db
    .select({ level: sql<number>`coalesce(max(${limitStates.level}), 0)` })
    .from(limitStates)
    .where(and(eq(limitStates.hostId, hostId), eq(limitStates.nameId, nameId)))
    .get();
  return row?.level ?? 0;
}

/** The number of failures that these limits have open on hosts of the scope, by limit and level. */
export function countOpenFailures(db: Db, limitIds: readonly number[], scope: Scope) {
  return db
    .select({ limitId: limitStates.limitId, level: limitStates.level, n: count() })
    .from(limitStates)
    .where(
      and(
        inArray(limitStates.limitId, listOf(limitIds)),
        sql`${limitStates.level} > 0`,
        inScope(limitStates.hostId, scope),
      ),
    )
    .groupBy(limitStates.limitId, limitStates.level)
    .all();
}

/** The limits that the services of a host exceed now. */
export function exceededLimitsOf(db: Db, hostId: number) {
  return statements(db).exceeded.all({ hostId });
}
