import { and, asc, eq, gt, inArray, isNull, lt, min, type SQL, sql } from "drizzle-orm";
import { HEARTBEAT, MONIT_SERVICE } from "../../monit/event-types.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  downtimeIntervals,
  excludedIntervals,
  hosts,
  limits,
  names,
  services,
} from "../../platform/storage/schema.ts";
import { indexedBy, listOf } from "../../platform/storage/words.ts";
import { historyOf, pastOf } from "../past/past.ts";
import { inScope, membersOf } from "../scope/scope.repository.ts";
import { isTagged } from "../tags/tags.repository.ts";
import type { Interval } from "./intervals.ts";

/** An interval of a host or service. Each function says which id `owner` is. */
export interface OwnedInterval extends Interval {
  owner: number;
}

type Intervals = typeof downtimeIntervals | typeof excludedIntervals;

/** The columns of an interval; an open one extends to the end of the window. */
function interval(table: Intervals, window: Interval) {
  return { from: table.startedAt, to: sql<number>`coalesce(${table.endedAt}, ${window.to})` };
}

function within(table: Intervals, window: Interval): SQL | undefined {
  // The end is an expression, not the column: SQLite would otherwise search all failures by their end.
  return and(lt(table.startedAt, window.to), gt(interval(table, window).to, window.from));
}

// A literal, not a bound value: the partial index of outages requires a constant.
const isOutage = sql`(${downtimeIntervals.eventType} = ${sql.raw(String(HEARTBEAT))}
  and ${downtimeIntervals.nameId} = (select ${names.id} from ${names} where ${names.name} = ${MONIT_SERVICE}))`;

const limitsOfDowntime = sql`select ${limits.id} as id from ${limits} where ${limits.downtime}`;

/**
 * The condition, for the real database, that a failure makes its service down. Failures of limits do so only if the
 * limit says that.
 * @param db at a past moment, the moment database with the limits of then
 */
function isServiceDowntime(db: Db): SQL {
  const counted = pastOf(db)
    ? listOf(db.all<{ id: number }>(limitsOfDowntime).map(({ id }) => id))
    : sql`(${limitsOfDowntime})`;
  return sql`(not ${isOutage} and (${downtimeIntervals.limitId} = 0 or ${downtimeIntervals.limitId} in ${counted}))`;
}

/** Hosts of a report; absent conditions select all. */
export interface SelectedHosts {
  ids?: readonly number[] | undefined;
  tag?: readonly string[] | undefined;
  /** Members of any of these host groups. */
  groups?: readonly number[] | undefined;
  within?: Scope | undefined;
}

/** Selected hosts of the scope by name, with the time of their first report. */
export function hostsOfReport(db: Db, scope: Scope, selected: SelectedHosts) {
  const { ids, tag, groups, within = "all" } = selected;
  return db
    .select({
      id: hosts.id,
      name: hosts.hostname,
      status: hosts.status,
      stopped: hosts.stopped,
      events: hosts.events,
      createdAt: hosts.createdAt,
    })
    .from(hosts)
    .where(
      and(
        inScope(hosts.id, scope),
        inScope(hosts.id, within),
        groups && sql`${hosts.id} in (${membersOf(groups)})`,
        ids && inArray(hosts.id, [...ids]),
        tag && isTagged(hosts.id, tag),
      ),
    )
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .all();
}

/** Services of a host by name, including vanished ones. */
export function servicesOfReport(db: Db, hostId: number) {
  return db
    .select({
      id: services.id,
      nameId: services.nameId,
      name: names.name,
      monitorState: services.monitorState,
      vanishedAt: services.vanishedAt,
      events: services.events,
      createdAt: services.createdAt,
    })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(eq(services.hostId, hostId))
    .orderBy(asc(names.nameKey), asc(services.id))
    .all();
}

/** Outages of hosts; `owner` is the id of the host. */
export function outages(db: Db, window: Interval, hostIds?: readonly number[]): OwnedInterval[] {
  return db
    .select({ owner: downtimeIntervals.hostId, ...interval(downtimeIntervals, window) })
    .from(downtimeIntervals)
    .where(
      and(
        isOutage,
        within(downtimeIntervals, window),
        hostIds && inArray(downtimeIntervals.hostId, [...hostIds]),
      ),
    )
    .all();
}

/** Failures of the services of a host; `owner` is the id of the service's name. */
export function failures(db: Db, hostId: number, window: Interval): OwnedInterval[] {
  return historyOf(db)
    .select({ owner: downtimeIntervals.nameId, ...interval(downtimeIntervals, window) })
    .from(downtimeIntervals)
    .where(
      and(eq(downtimeIntervals.hostId, hostId), isServiceDowntime(db), within(downtimeIntervals, window)),
    )
    .all();
}

/** Failures of the services of hosts that overlap a window which ended in the past; `owner` is the id of the host. */
export function pastFailuresOfHosts(db: Db, hostIds: readonly number[], window: Interval): OwnedInterval[] {
  return historyOf(db).all<OwnedInterval>(sql`
    select ${downtimeIntervals.hostId} as owner, ${downtimeIntervals.startedAt} as "from",
      coalesce(${downtimeIntervals.endedAt}, ${window.to}) as "to"
    from ${downtimeIntervals} ${indexedBy("downtime_of_check_by_start")}
    where ${downtimeIntervals.hostId} in ${listOf(hostIds)} and ${within(downtimeIntervals, window)} and ${isServiceDowntime(db)}`);
}

/**
 * Failures of the services of hosts that overlap a window which ends now; `owner` is the id of the host. It reads by
 * the end of failures, because hosts can have many old ones.
 */
export function failuresOfHosts(db: Db, hostIds: readonly number[], window: Interval): OwnedInterval[] {
  const ofHosts = sql`${downtimeIntervals.hostId} in ${listOf(hostIds)}`;
  const columns = sql`${downtimeIntervals.hostId} as owner, ${downtimeIntervals.startedAt} as "from"`;
  const counts = isServiceDowntime(db);
  return db.all<OwnedInterval>(sql`
    select ${columns}, ${downtimeIntervals.endedAt} as "to" from ${downtimeIntervals} ${indexedBy("downtime_by_end")}
      where ${downtimeIntervals.endedAt} > ${window.from} and ${ofHosts} and ${counts}
    union all
    select ${columns}, ${window.to} as "to" from ${downtimeIntervals} ${indexedBy("downtime_open")}
      where ${downtimeIntervals.endedAt} is null and ${ofHosts} and ${counts}`);
}

/** Start of the first failure of each service, by name id: a replayed event can be older than its service. */
export function firstFailures(db: Db, hostId: number): Map<number, number> {
  const rows = historyOf(db)
    .select({ nameId: downtimeIntervals.nameId, at: min(downtimeIntervals.startedAt) })
    .from(downtimeIntervals)
    .where(and(eq(downtimeIntervals.hostId, hostId), isServiceDowntime(db)))
    .groupBy(downtimeIntervals.nameId)
    .all();
  return new Map(rows.map((row) => [row.nameId, row.at ?? 0]));
}

/** Excluded time of whole hosts; `owner` is the id of the host. */
export function excludedHosts(db: Db, window: Interval, hostIds?: readonly number[]): OwnedInterval[] {
  return db
    .select({ owner: sql<number>`${excludedIntervals.hostId}`, ...interval(excludedIntervals, window) })
    .from(excludedIntervals)
    .where(
      and(
        isNull(excludedIntervals.serviceId),
        hostIds
          ? inArray(excludedIntervals.hostId, [...hostIds])
          : sql`${excludedIntervals.hostId} is not null`,
        within(excludedIntervals, window),
      ),
    )
    .all();
}

/** Excluded time of the services of a host; `owner` is the id of the service. */
export function excludedServices(db: Db, hostId: number, window: Interval): OwnedInterval[] {
  return db
    .select({ owner: sql<number>`${excludedIntervals.serviceId}`, ...interval(excludedIntervals, window) })
    .from(excludedIntervals)
    .where(
      and(
        eq(excludedIntervals.hostId, hostId),
        sql`${excludedIntervals.serviceId} is not null`,
        within(excludedIntervals, window),
      ),
    )
    .all();
}

/** Times during which Muster itself did not run. */
export function offTimes(db: Db, window: Interval): Interval[] {
  return db
    .select(interval(excludedIntervals, window))
    .from(excludedIntervals)
    .where(and(isNull(excludedIntervals.hostId), within(excludedIntervals, window)))
    .all();
}
