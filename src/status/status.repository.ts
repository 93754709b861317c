import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "../database/open.ts";
import { hostGroupMembers, hosts, services, statistics } from "../database/schema.ts";
import { HOST_STATUS, LED } from "./health.ts";
import type { HostListArguments } from "./status.schemas.ts";

const SORT_COLUMNS = {
  hostname: hosts.hostname,
  led: hosts.led,
  events: hosts.events,
  cpu: hosts.cpu,
  mem: hosts.mem,
  status: hosts.statusText,
} as const;

function selection(filter: HostListArguments): SQL | undefined {
  const { hostid, hostgroupid, led, hostpattern } = filter;
  return and(
    hostid && inArray(hosts.id, hostid),
    hostgroupid &&
      sql`${hosts.id} in (select ${hostGroupMembers.hostId} from ${hostGroupMembers} where ${inArray(hostGroupMembers.groupId, hostgroupid)})`,
    led && inArray(hosts.led, led),
    hostpattern ? sql`instr(lower(${hosts.hostname}), lower(${hostpattern})) > 0` : undefined,
  );
}

export function countHosts(db: Db, filter: HostListArguments): number {
  return db.select({ n: count() }).from(hosts).where(selection(filter)).get()?.n ?? 0;
}

/** The hosts of a selection, in its order; ties by name, then id. */
export function listHosts(db: Db, filter: HostListArguments, limit: number) {
  const order = filter.dir === "desc" ? desc : asc;
  return db
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
    })
    .from(hosts)
    .where(selection(filter))
    .orderBy(order(SORT_COLUMNS[filter.sort]), asc(hosts.hostname), asc(hosts.id))
    .limit(limit)
    .offset(filter.startindex)
    .all();
}

/** What the services of a host measure. */
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

/** How many hosts are in each state of the summary. */
export function countByState(db: Db) {
  const ignored = sql`${hosts.status} = ${HOST_STATUS.ignored}`;
  const stopped = sql`not ${ignored} and ${hosts.stopped}`;
  const silent = sql`not ${ignored} and not ${hosts.stopped} and ${hosts.heartbeat} = 0`;
  const heard = sql`not ${ignored} and not ${hosts.stopped} and ${hosts.heartbeat} = 1`;
  const number = (condition: SQL) => sql<number>`count(*) filter (where ${condition})`;
  return db
    .select({
      silent: number(silent),
      red: number(sql`${heard} and ${hosts.led} = ${LED.red}`),
      orange: number(sql`${heard} and ${hosts.led} = ${LED.orange}`),
      ok: number(sql`${heard} and ${hosts.led} in (${LED.green}, ${LED.gray})`),
      stopped: number(stopped),
      ignored: number(ignored),
    })
    .from(hosts)
    .get();
}
