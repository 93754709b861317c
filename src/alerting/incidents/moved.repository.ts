/** Reads what may have moved before an incident, except numbers. */
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { CHANGE, ERROR } from "../../monit/event-types.ts";
import { eventsBy } from "../../monitoring/events/event-selection.repository.ts";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { downtimeIntervals, events, hostGroupMembers, hosts, names } from "../../platform/storage/schema.ts";
import { unindexed } from "../../platform/storage/words.ts";
import { listDependencies } from "../dependencies/dependencies.repository.ts";

/** The most events of a host that are searched, the oldest: a storm has too many to read them all. */
const MAX_READ = 1000;
/** The most members of groups that are considered, those of small groups first. */
const MAX_MEMBERS = 5000;

/** The hosts of the scope that a host depends on, the nearest first, at most `limit`. */
function causesOf(db: Db, hostId: number, scope: Scope, limit: number): number[] {
  const seen = new Set([hostId]);
  for (const id of seen) {
    if (seen.size > limit) break;
    for (const dependency of listDependencies(db, id, scope))
      if (dependency.hostId === id) seen.add(dependency.causeHostId);
  }
  seen.delete(hostId);
  return [...seen].slice(0, limit);
}

/** The other members of the scope of a host's groups, those that share a small group first. */
function membersBeside(db: Db, hostId: number, scope: Scope): number[] {
  const { hostId: member } = hostGroupMembers;
  const size = sql`min((select count(*) from ${hostGroupMembers} as of_group where of_group.group_id = ${hostGroupMembers.groupId}))`;
  const isShared = sql`${hostGroupMembers.groupId} in
    (select own.group_id from ${hostGroupMembers} as own where own.host_id = ${hostId})`;
  return db
    .select({ id: member })
    .from(hostGroupMembers)
    .where(and(isShared, sql`${unindexed(member)} <> ${hostId}`, inScope(member, scope)))
    .groupBy(member)
    .orderBy(size, asc(member))
    .limit(MAX_MEMBERS)
    .all()
    .map(({ id }) => id);
}

/**
 * The host and those that may have to do with it, the nearest first: what it depends on, then members of its groups.
 * @returns at most `limit` besides the host, and how many there are beyond that
 */
export function relatedHosts(db: Db, hostId: number, scope: Scope, limit: number) {
  const ids = [
    ...new Set([...causesOf(db, hostId, scope, limit), ...membersBeside(db, hostId, scope)]),
  ].filter((id) => id !== hostId);
  const chosen = [hostId, ...ids.slice(0, limit)];
  const rows = db
    .select({ id: hosts.id, hostname: hosts.hostname, poll: hosts.poll })
    .from(hosts)
    .where(inArray(hosts.id, chosen))
    .all();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { hosts: chosen.flatMap((id) => byId.get(id) ?? []), leftOut: Math.max(0, ids.length - limit) };
}

/** Whether an error began a failure, rather than repeating one. */
const isFirst: SQL = sql`exists (select 1 from ${downtimeIntervals}
  where ${downtimeIntervals.hostId} = ${events.hostId} and ${downtimeIntervals.nameId} = ${events.nameId}
  and ${downtimeIntervals.eventType} = ${events.eventType} and ${downtimeIntervals.limitId} = ${events.limitId}
  and ${downtimeIntervals.startedAt} = ${events.date})`;

/**
 * Changes of a host, and errors that began a failure, within a period, both ends included. Returns at most `limit`, the
 * oldest, as these moved first. Each row says how many there are in all.
 */
export function movesOfHost(db: Db, hostId: number, { from, to }: Interval, limit: number) {
  const { id, date, nameId, eventType, limitId, state, message } = events;
  const read = sql`select ${id} from ${eventsBy("events_by_host_and_date")} where ${events.hostId} = ${hostId}
    and ${date} >= ${from} and ${date} <= ${to} order by ${date}, ${id} limit ${MAX_READ}`;
  const isError = and(sql`${unindexed(state)} = ${ERROR}`, isFirst);
  return db
    .select({
      ...{ id, date, nameId, servicename: names.name, eventType, limitId, state, message },
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(events)
    .innerJoin(names, eq(names.id, nameId))
    .where(sql`${id} in (${read}) and (${unindexed(state)} = ${CHANGE} or (${isError}))`)
    .orderBy(sql`${date}`, sql`${id}`)
    .limit(limit)
    .all();
}
export type MoveOfHost = ReturnType<typeof movesOfHost>[number];
