/** The newest numbers of all hosts at once. */
import { and, asc, eq, exists, gt, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  hostGroupMembers,
  hosts,
  names,
  sampleLayouts,
  samples,
  services,
  statistics,
} from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import { inScope } from "../scope/scope.repository.ts";

/** Runs a query for ten thousands of rows: objects of the query builder cost as much again as the query. */
function rowsOf<T extends unknown[]>(db: Db, query: { toSQL(): { sql: string; params: unknown[] } }): T[] {
  const { sql: text, params } = query.toSQL();
  return db.$client.prepare(text).values(...(params as never[])) as T[];
}

const shown = { hostId: hosts.id, hostname: hosts.hostname, hostnameKey: hosts.hostnameKey, led: hosts.led };

/** Hosts that report, of these groups if any are given. */
function reporting(db: Db, scope: Scope, groupIds: readonly number[] | undefined): SQL | undefined {
  const { groupId, hostId } = hostGroupMembers;
  const isMember =
    groupIds &&
    exists(
      db
        .select({ hostId })
        .from(hostGroupMembers)
        .where(and(eq(hostId, hosts.id), inArray(groupId, [...groupIds]))),
    );
  return and(
    inScope(hosts.id, scope),
    eq(hosts.heartbeat, 1),
    eq(hosts.stopped, false),
    ne(hosts.status, HOST_STATUS.ignored),
    isMember,
  );
}

export interface LatestSample {
  hostId: number;
  hostname: string;
  hostnameKey: string;
  led: number;
  /** Unix seconds. */
  at: number;
  layoutId: number;
  /** Float64, little endian. */
  values: Uint8Array;
}
type SampleRow = [...[number, string, string, number, number, number], Uint8Array];

/** The newest unpacked sample of each host that reports. */
export function latestSamples(db: Db, scope: Scope, groupIds?: readonly number[]): LatestSample[] {
  const newest = sql`(select newest.id from samples newest where newest.host_id = ${hosts.id}
    order by newest.at desc, newest.id desc limit 1)`;
  const query = db
    .select({ ...shown, at: samples.at, layoutId: samples.layoutId, values: samples.values })
    .from(hosts)
    .innerJoin(samples, eq(samples.id, newest))
    .where(reporting(db, scope, groupIds))
    .orderBy(asc(hosts.id));
  return rowsOf<SampleRow>(db, query).map(([hostId, hostname, hostnameKey, led, at, layoutId, values]) => {
    return { hostId, hostname, hostnameKey, led, at, layoutId, values };
  });
}

/** Hosts that report and have no unpacked sample, as those whose last message came before the full hour. */
export function hostsWithPackedSamples(db: Db, scope: Scope, limit: number, groupIds?: readonly number[]) {
  return db
    .select(shown)
    .from(hosts)
    .where(
      and(
        reporting(db, scope, groupIds),
        sql`not exists (select 1 from samples s where s.host_id = ${hosts.id})`,
      ),
    )
    .orderBy(asc(hosts.id))
    .limit(limit)
    .all();
}

/** The statistics of a layout, by id of the layout. */
export function layoutsOf(db: Db, ids: readonly number[]) {
  const wanted = sql`${sampleLayouts.id} in (select value from json_each(${JSON.stringify(ids)}))`;
  const query = db
    .select({ id: sampleLayouts.id, statisticIds: sampleLayouts.statisticIds })
    .from(sampleLayouts)
    .where(wanted);
  return rowsOf<[number, Uint8Array]>(db, query).map(([id, bytes]) => {
    return { id, statisticIds: new Uint32Array(new Uint8Array(bytes).buffer) };
  });
}

/**
 * Statistics of these types with ids above `after`, also those that are texts and in no layout. They are read from the
 * index alone: rows of the table are scattered over all hosts.
 */
export function statisticsOfTypes(db: Db, types: readonly number[], after: number) {
  const query = db
    .select({ id: statistics.id, serviceId: statistics.serviceId, descriptor: statistics.descriptor })
    .from(statistics)
    .where(and(inArray(statistics.type, [...types]), gt(statistics.id, after)));
  return rowsOf<[number, number, string]>(db, query).map(([id, serviceId, descriptor]) => {
    return { id, serviceId, descriptor };
  });
}

/** Names of services, by id. */
export function serviceNames(db: Db, ids: readonly number[]): Map<number, string> {
  const rows = db
    .select({ id: services.id, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(sql`${services.id} in (select value from json_each(${JSON.stringify(ids)}))`)
    .all();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Groups by host, as pairs. */
export function memberships(db: Db) {
  const { hostId, groupId } = hostGroupMembers;
  const query = db.select({ hostId, groupId }).from(hostGroupMembers);
  return rowsOf<[number, number]>(db, query).map(([host, group]) => ({ hostId: host, groupId: group }));
}
