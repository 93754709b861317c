/** The newest values of all hosts at once. */
import { and, asc, eq, exists, gt, inArray, max, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  deletedHosts,
  hostGroupMembers,
  hosts,
  names,
  STATISTICS_RANGE,
  sampleLayouts,
  samples,
  services,
  statistics,
} from "../../platform/storage/schema.ts";
import { indexedBy, joinedInOrder, listOf } from "../../platform/storage/words.ts";
import { HOST_STATUS } from "../health/health.ts";
import { inScope } from "../scope/scope.repository.ts";
import { idsOf } from "./history.repository.ts";

/** Runs a query for tens of thousands of rows. Objects of the query builder would double its cost. */
function rowsOf<T extends unknown[]>(db: Db, query: { toSQL(): { sql: string; params: unknown[] } }): T[] {
  const { sql: text, params } = query.toSQL();
  return db.$client.prepare(text).values(...(params as never[])) as T[];
}

const shown = { hostId: hosts.id, hostname: hosts.hostname, hostnameKey: hosts.hostnameKey, led: hosts.led };

/** Hosts that report; if groups are named, only their members. */
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

/** The newest sample of a host that is not packed into a block. */
export interface LatestSample {
  hostId: number;
  hostname: string;
  hostnameKey: string;
  led: number;
  /** Unix seconds. */
  at: number;
  layoutId: number;
  /** As `packValues` writes them. */
  values: Uint8Array;
}
type SampleRow = [...[number, string, string, number, number, number], Uint8Array];

/** Samples of a host up to its last message. If the server's clock was set back, earlier samples have later dates. */
const isUpToLast = (alias: string) =>
  sql`${sql.raw(alias)}.host_id = ${hosts.id} and ${sql.raw(alias)}.at <= ${hosts.lastmodified}`;

/** The newest unpacked sample of each host that reports. */
export function latestSamples(db: Db, scope: Scope, groupIds?: readonly number[]): LatestSample[] {
  const newest = sql`(select newest.id from samples newest where ${isUpToLast("newest")}
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

/** Hosts that report and have no unpacked sample, such as those whose last message came before the hour ended. */
export function hostsWithPackedSamples(db: Db, scope: Scope, groupIds?: readonly number[]) {
  return db
    .select(shown)
    .from(hosts)
    .where(
      and(reporting(db, scope, groupIds), sql`not exists (select 1 from samples s where ${isUpToLast("s")})`),
    )
    .orderBy(asc(hosts.id))
    .all();
}

/** The statistics of a layout, by id of the layout. */
export function layoutsOf(db: Db, ids: readonly number[]) {
  const isOfLayouts = sql`${sampleLayouts.id} in ${listOf(ids)}`;
  const query = db
    .select({ id: sampleLayouts.id, statisticIds: sampleLayouts.statisticIds })
    .from(sampleLayouts)
    .where(isOfLayouts);
  return rowsOf<[number, Uint8Array]>(db, query).map(([id, bytes]) => {
    return { id, statisticIds: idsOf(bytes) };
  });
}

/**
 * Statistics of these types with ids above `after`, including texts, which are in no layout. Reads only the index, one
 * range of ids after the other: the rows of the table are scattered over all hosts.
 */
export function statisticsOfTypes(db: Db, types: readonly number[], after: number) {
  const range = (id: SQLWrapper | number) => sql`${id} / ${sql.raw(String(STATISTICS_RANGE))}`;
  const rows = db.values<[number, number, string]>(sql`
    with recursive ranges(n) as (
      select ${range(after)} union all
      select n + 1 from ranges where n < (select ${range(max(statistics.id))} from ${statistics}))
    select ${statistics.id}, ${statistics.serviceId}, ${statistics.descriptor}
    from ranges ${joinedInOrder} ${statistics} ${indexedBy("statistics_by_type")} on ${range(statistics.id)} = ranges.n
    where ${inArray(statistics.type, [...types])} and ${gt(statistics.id, after)}`);
  return rows.map(([id, serviceId, descriptor]) => ({ id, serviceId, descriptor }));
}

/** Ids of the hosts that are deleted, but not for good. */
export function idsOfDeletedHosts(db: Db): ReadonlySet<number> {
  const rows = db.select({ id: deletedHosts.hostId }).from(deletedHosts).all();
  return new Set(rows.map(({ id }) => id));
}

/** Names of services, by id. */
export function serviceNames(db: Db, ids: readonly number[]): Map<number, string> {
  const rows = db
    .select({ id: services.id, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(sql`${services.id} in ${listOf(ids)}`)
    .all();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Pairs of a host and a group that it is a member of. */
export function memberships(db: Db) {
  const { hostId, groupId } = hostGroupMembers;
  const query = db.select({ hostId, groupId }).from(hostGroupMembers);
  return rowsOf<[number, number]>(db, query).map(([host, group]) => ({ hostId: host, groupId: group }));
}
