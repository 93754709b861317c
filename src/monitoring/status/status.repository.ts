import { and, asc, count, desc, eq, inArray, type SQL, type SQLWrapper, sql, sum } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostCounts, hostGroupMembers, hosts, services, statistics } from "../../platform/storage/schema.ts";
import { contains, indexedBy, listOf, unindexed } from "../../platform/storage/words.ts";
import { HOST_STATUS, LED } from "../health/health.ts";
import { pastOf } from "../past/past.ts";
import { inScope, membersOf } from "../scope/scope.repository.ts";
import { isTagged } from "../tags/tags.repository.ts";
import type { HostListArguments } from "./status.schemas.ts";

// Status texts are written by Muster, so they need no case-insensitive order.
const SORT_COLUMNS = {
  hostname: hosts.hostnameKey,
  led: hosts.led,
  events: hosts.events,
  cpu: hosts.cpu,
  mem: hosts.mem,
  status: hosts.statusText,
} as const;

export type HostFilter = Omit<HostListArguments, "results" | "startindex" | "sort" | "dir">;

/** Matches hosts whose name contains `part`, ignoring case. */
function named(part: string): SQL {
  return contains(hosts.hostnameKey, sortKey(part));
}

/** Matches any of the texts, ignoring the case of ASCII letters, which is enough for platform names. */
function anyCase(column: SQLWrapper, texts: readonly string[]): SQL {
  return sql`lower(${column}) in ${texts.map((text) => text.toLowerCase())}`;
}

/** A condition for a value of a filter. @param isWalk as in `selection` */
type Condition<T> = (value: T, isWalk: boolean) => SQL | undefined;

const CONDITIONS: { [K in keyof Required<HostFilter>]: Condition<NonNullable<HostFilter[K]>> } = {
  hostid: (ids) => inArray(hosts.id, ids),
  hostgroupid: (groups, isWalk) =>
    isWalk
      ? sql`exists (${membersOf(groups)} and ${hostGroupMembers.hostId} = ${hosts.id})`
      : sql`${hosts.id} in (${membersOf(groups)})`,
  tag: (tags, isWalk) => isTagged(hosts.id, tags, { isDriven: !isWalk }),
  led: (leds) => inArray(hosts.led, leds),
  hostpattern: named,
  hostname: (name) => eq(hosts.hostnameKey, sortKey(name)),
  status: (codes) => inArray(hosts.status, codes),
  platform: (names) => anyCase(hosts.platformName, names),
  machine: (names) => anyCase(hosts.platformMachine, names),
};
const NAMES = Object.keys(CONDITIONS) as (keyof HostFilter)[];

function usedConditions(filter: HostFilter): (keyof HostFilter)[] {
  return NAMES.filter((name) => filter[name] !== undefined && filter[name] !== "");
}

/**
 * The condition of a filter.
 * @param isWalk true: check each host that an index leads to; false: find hosts by membership
 */
function selection(filter: HostFilter, scope: Scope, isWalk = false): SQL | undefined {
  const conditions = CONDITIONS as Readonly<Record<keyof HostFilter, Condition<unknown>>>;
  return and(
    inScope(hosts.id, scope),
    ...usedConditions(filter).map((name) => conditions[name](filter[name], isWalk)),
  );
}

function countMembers(db: Db, group: number[]): number {
  const row = db
    .select({ n: count() })
    .from(hostGroupMembers)
    .where(inArray(hostGroupMembers.groupId, group))
    .get();
  return row?.n ?? 0;
}

/** Number of hosts of the scope that match the filter. Where stored counts give it, no host is read. */
export function countHosts(db: Db, filter: HostFilter, scope: Scope): number {
  const { hostgroupid, led, status } = filter;
  const conditions = usedConditions(filter);
  /** Whether stored counts, which cover all hosts, give the number for these conditions. */
  const areAllOf = (names: readonly (keyof HostFilter)[]) =>
    scope === "all" && conditions.every((name) => names.includes(name));
  if (hostgroupid?.length === 1 && areAllOf(["hostgroupid"])) return countMembers(db, hostgroupid);
  const row = areAllOf(["led", "status"])
    ? db
        .select({ n: sum(hostCounts.n).mapWith(Number) })
        .from(hostCounts)
        .where(and(led && inArray(hostCounts.led, led), status && inArray(hostCounts.status, status)))
        .get()
    : db.select({ n: count() }).from(hosts).where(selection(filter, scope)).get();
  return row?.n ?? 0;
}

/** The ids of all matching hosts, in order of name. */
export function hostIdsMatching(db: Db, filter: HostFilter, scope: Scope): number[] {
  const rows = db
    .select({ id: hosts.id })
    .from(hosts)
    .where(selection(filter, scope))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .all();
  return rows.map(({ id }) => id);
}

/** Up to this many matching hosts are read and sorted. For more, an index with the full order is read. */
const MAX_SORTED = 1000;
/**
 * The index for each order. Orders by columns that change with a message, or with an event, share an index, whose
 * entries are then sorted.
 */
const INDEX: Record<HostListArguments["sort"], string> = {
  hostname: "hosts_by_name",
  led: "hosts_by_led",
  events: "hosts_in_lists",
  status: "hosts_in_lists",
  cpu: "hosts_now",
  mem: "hosts_now",
};

/** Reads only the ids of a page: SQLite's sorter would otherwise carry every selected column. */
function idsOfPage(
  db: Db,
  filter: HostListArguments,
  scope: Scope,
  { limit, total }: { limit: number; total: number },
): number[] {
  const order = filter.dir === "desc" ? desc : asc;
  const index = total > MAX_SORTED && !filter.hostid ? INDEX[filter.sort] : undefined;
  // Few hosts are found by the filter and then sorted. An index in the requested order would lead to every host's row.
  const column = index ? SORT_COLUMNS[filter.sort] : unindexed(SORT_COLUMNS[filter.sort]);
  const rows = db.all<{ id: number }>(
    sql`select ${hosts.id} as id from ${hosts} ${index ? indexedBy(index) : sql``}
      where ${selection(filter, scope, index !== undefined) ?? sql`true`}
      order by ${order(column)}, ${asc(hosts.hostnameKey)}, ${asc(hosts.id)}
      limit ${limit} offset ${filter.startindex}`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Lists matching hosts in the requested order. Ties are ordered by name, then by id.
 * @param page the most hosts to return, and the number of matching hosts
 */
export function listHosts(
  db: Db,
  filter: HostListArguments,
  scope: Scope,
  page: { limit: number; total: number },
) {
  if (filter.startindex >= page.total) return [];
  if (filter.sort === "cpu" || filter.sort === "mem") pastOf(db)?.takeUsage();
  const ids = idsOfPage(db, filter, scope, page);
  pastOf(db)?.takeUsage(ids);
  const records = db
    .select({
      id: hosts.id,
      led: hosts.led,
      hostname: hosts.hostname,
      events: hosts.events,
      cpu: hosts.cpu,
      mem: hosts.mem,
      status: hosts.statusText,
      statusid: hosts.status,
      heartbeat: hosts.heartbeat,
      lastmodified: hosts.lastmodified,
      services: hosts.servicesTotal,
      servicesok: hosts.servicesOk,
    })
    .from(hosts)
    .where(sql`${hosts.id} in ${listOf(ids)}`)
    .all();
  const byId = new Map(records.map((record) => [record.id, record]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The statistics of a host's services. */
export function statisticsOf(db: Db, hostId: number) {
  return db
    .select({
      id: statistics.id,
      serviceId: statistics.serviceId,
      type: statistics.type,
      descriptor: statistics.descriptor,
      text: statistics.text,
    })
    .from(statistics)
    .innerJoin(services, eq(services.id, statistics.serviceId))
    .where(eq(services.hostId, hostId))
    .orderBy(asc(statistics.type), asc(statistics.id))
    .all();
}

/** The stored counts of all hosts, or counts of the hosts in a scope, in the same columns. */
function countsOf(scope: Scope): SQL {
  if (scope === "all") return sql`${hostCounts}`;
  return sql`(select status, stopped, heartbeat, led, count(*) as n from ${hosts}
    where ${inScope(hosts.id, scope)} group by status, stopped, heartbeat, led) as host_counts`;
}

/** The number of hosts in each state of the summary. */
export function countByState(db: Db, scope: Scope) {
  const ignored = sql`${hostCounts.status} = ${HOST_STATUS.ignored}`;
  const stopped = sql`not ${ignored} and ${hostCounts.stopped}`;
  const down = sql`not ${ignored} and not ${hostCounts.stopped} and ${hostCounts.heartbeat} = 0`;
  const reporting = sql`not ${ignored} and not ${hostCounts.stopped} and ${hostCounts.heartbeat} = 1`;
  const number = (condition: SQL) =>
    sql<number>`coalesce(sum(${hostCounts.n}) filter (where ${condition}), 0)`;
  return db
    .select({
      down: number(down),
      red: number(sql`${reporting} and ${hostCounts.led} = ${LED.red}`),
      orange: number(sql`${reporting} and ${hostCounts.led} = ${LED.orange}`),
      ok: number(sql`${reporting} and ${hostCounts.led} in (${LED.green}, ${LED.gray})`),
      stopped: number(stopped),
      ignored: number(ignored),
    })
    .from(countsOf(scope))
    .get();
}
