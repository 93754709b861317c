/** Reads whether the hosts of a mute have recovered, some at a time. */
import { and, asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import type { PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { tagConditions } from "../../monitoring/tags/tag.ts";
import { isTagged } from "../../monitoring/tags/tags.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { hostGroupMembers, hosts, hostTags } from "../../platform/storage/schema.ts";
import { HIDDEN, indexedBy, indexName, JOINED_IN_ORDER, listOf } from "../../platform/storage/words.ts";

/** Lists hosts among which are all hosts of a filter: the members of a group, hosts with a tag, or all hosts. */
type HostList = (db: Db, after: number, limit: number) => number[];

/**
 * Lists of hosts that contain all hosts of a filter, and as few others as one index allows. Each is read in order of
 * id, from a given id on.
 */
export function listsOf({ hosts: ids, hostgroups, tags = [] }: PlaceFilter): HostList[] {
  if (ids) {
    const sorted = [...ids].sort((a, b) => a - b);
    return [(_db, after, limit) => sorted.filter((id) => id > after).slice(0, limit)];
  }
  if (hostgroups)
    return hostgroups.map((groupId) => (db, after, limit) => members(db, groupId, after, limit));
  // If any value of a tag matches, no index leads to its hosts.
  const tag = tagConditions(tags).find(({ values }) => values !== null);
  if (tag?.values)
    return tag.values.map((value) => (db, after, limit) => tagged(db, { ...tag, value }, after, limit));
  return [anyHosts];
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

function anyHosts(db: Db, after: number, limit: number): number[] {
  const { id } = hosts;
  return idsOf(db.select({ id }).from(hosts).where(gt(id, after)).orderBy(asc(id)).limit(limit).all());
}

function members(db: Db, groupId: number, after: number, limit: number): number[] {
  const { hostId: id, groupId: group } = hostGroupMembers;
  const rows = db
    .select({ id })
    .from(hostGroupMembers)
    .where(and(eq(group, groupId), gt(id, after)));
  return idsOf(rows.orderBy(asc(id)).limit(limit).all());
}

function tagged(db: Db, tag: { name: string; value: string }, after: number, limit: number): number[] {
  const { hostId: id, name, value } = hostTags;
  const rows = db
    .select({ id })
    .from(hostTags)
    .where(and(eq(name, tag.name), eq(value, tag.value), gt(id, after)));
  return idsOf(rows.orderBy(asc(id)).limit(limit).all());
}

/** Columns are written out in full: the query builder would leave out the table of columns of `hosts`. */
const isFailing = sql<number>`case when exists (select 1 from downtime_intervals ${indexedBy("downtime_open")}
  where downtime_intervals.host_id = hosts.id and ended_at is null) then 1 else 0 end`;

/** Starts from the host, which is in few groups, as a filter can name many. */
function isMember(groupIds: readonly number[]): SQL {
  return sql`exists (select 1 from host_group_members ${indexedBy("host_group_members_by_host")}
    where host_group_members.host_id = hosts.id and group_id in ${listOf(groupIds)})`;
}

/**
 * Those hosts of a part of a list (`listsOf`) that the filter selects, by id: whether each is active and last reported
 * at `at` or before, and whether it has an open failure.
 * @param at unix seconds
 */
export function hostsOf(
  db: Db,
  { hosts: wanted, hostgroups, tags }: PlaceFilter,
  ids: readonly number[],
  at: number,
) {
  const { id, status, lastmodified } = hosts;
  const rows = db
    .select({ id, status, lastmodified, isFailing })
    .from(hosts)
    .where(
      and(inArray(id, listOf(ids)), wanted && hostgroups && isMember(hostgroups), tags && isTagged(id, tags)),
    )
    .orderBy(asc(id))
    .all();
  return rows.map((host) => ({
    id: host.id,
    isLate: host.status === HOST_STATUS.active && host.lastmodified <= at,
    isFailing: host.isFailing === 1,
  }));
}

const openStatement = prepareOnce((db) =>
  db.$client.prepare<
    { id: number; startedAt: number; serviceName: string },
    [hostId: number, after: number, limit: number]
  >(
    `select failure.id, started_at as "startedAt", names.name as "serviceName"
     from downtime_intervals as failure ${indexName("downtime_open")} ${JOINED_IN_ORDER} names on names.id = name_id
     where host_id = ${HIDDEN}? and ended_at is null and failure.id > ${HIDDEN}?
     order by failure.id limit ${HIDDEN}?`,
  ),
);

/** The next open failures of a host by id. */
export function nextOpenFailures(db: Db, hostId: number, after: number, limit: number) {
  return openStatement(db).all(hostId, after, limit);
}
