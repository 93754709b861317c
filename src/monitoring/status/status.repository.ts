import { and, asc, count, desc, eq, inArray, type SQL, type SQLWrapper, sql, sum } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostCounts, hostGroupMembers, hosts, services, statistics } from "../../platform/storage/schema.ts";
import { HOST_STATUS, LED } from "../health/health.ts";
import { inScope } from "../scope/scope.repository.ts";
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

type Filter = Omit<HostListArguments, "results" | "startindex" | "sort" | "dir">;

function membersOf(groups: number[]): SQL {
  return sql`select ${hostGroupMembers.hostId} from ${hostGroupMembers} where ${hostGroupMembers.groupId} in ${groups}`;
}

/** Matches hosts whose name contains `part`, ignoring case. */
function named(part: string): SQL {
  return sql`instr(${hosts.hostnameKey}, ${sortKey(part)}) > 0`;
}

/** Matches any of the texts, ignoring the case of ASCII letters, which is enough for platform names. */
function anyCase(column: SQLWrapper, texts: readonly string[]): SQL {
  return sql`lower(${column}) in ${texts.map((text) => text.toLowerCase())}`;
}

/** @param isWalk whether hosts are walked in order and checked for membership, instead of looked up by it */
function selection(filter: Filter, scope: Scope, isWalk = false): SQL | undefined {
  const { hostid, hostgroupid, tag, led, hostpattern, status, platform, machine } = filter;
  return and(
    inScope(hosts.id, scope),
    hostid && inArray(hosts.id, hostid),
    hostgroupid &&
      (isWalk
        ? sql`exists (${membersOf(hostgroupid)} and ${hostGroupMembers.hostId} = ${hosts.id})`
        : sql`${hosts.id} in (${membersOf(hostgroupid)})`),
    tag && isTagged(hosts.id, tag, !isWalk),
    led && inArray(hosts.led, led),
    hostpattern ? named(hostpattern) : undefined,
    status && inArray(hosts.status, status),
    platform && anyCase(hosts.platformName, platform),
    machine && anyCase(hosts.platformMachine, machine),
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

export function countHosts(db: Db, filter: Filter, scope: Scope): number {
  const { hostid, hostgroupid, tag, led, status, hostpattern, platform, machine } = filter;
  // The kept counts are of all hosts.
  const isCounted = scope === "all" && !hostid && !tag && !hostpattern && !platform && !machine;
  if (isCounted && hostgroupid?.length === 1 && !led && !status) return countMembers(db, hostgroupid);
  const row =
    isCounted && !hostgroupid
      ? db
          .select({ n: sum(hostCounts.n).mapWith(Number) })
          .from(hostCounts)
          .where(and(led && inArray(hostCounts.led, led), status && inArray(hostCounts.status, status)))
          .get()
      : db.select({ n: count() }).from(hosts).where(selection(filter, scope)).get();
  return row?.n ?? 0;
}

/** The ids of all matching hosts, in order of name. */
export function hostIdsMatching(db: Db, filter: Filter, scope: Scope): number[] {
  const rows = db
    .select({ id: hosts.id })
    .from(hosts)
    .where(selection(filter, scope))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .all();
  return rows.map(({ id }) => id);
}

/** Up to this many matching hosts are sorted in memory. For more, an index is walked in order. */
const MAX_SORTED = 1000;
/** The index for each order. Columns that change with every message share one. */
const INDEX: Record<HostListArguments["sort"], string> = {
  hostname: "hosts_by_name",
  led: "hosts_by_led",
  events: "hosts_by_events",
  status: "hosts_by_status_text",
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
  const rows = db.all<{ id: number }>(
    sql`select ${hosts.id} as id from ${hosts} ${index ? sql.raw(`indexed by ${index}`) : sql``}
      where ${selection(filter, scope, index !== undefined) ?? sql`true`}
      order by ${order(SORT_COLUMNS[filter.sort])}, ${asc(hosts.hostnameKey)}, ${asc(hosts.id)}
      limit ${limit} offset ${filter.startindex}`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Lists matching hosts in the requested order. Ties are ordered by name, then by id.
 * @param page most hosts to return, and the number of matching hosts
 */
export function listHosts(
  db: Db,
  filter: HostListArguments,
  scope: Scope,
  page: { limit: number; total: number },
) {
  if (filter.startindex >= page.total) return [];
  const ids = idsOfPage(db, filter, scope, page);
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
    .where(sql`${hosts.id} in (select value from json_each(${JSON.stringify(ids)}))`)
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

/** The kept counts of all hosts, or the hosts of a scope counted in the same columns. */
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
