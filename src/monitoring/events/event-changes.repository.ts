import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { CHANGE } from "../../monit/event-types.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { events, hostGroupMembers, hosts, names } from "../../platform/storage/schema.ts";
import { inScope } from "../scope/scope.repository.ts";
import type { Interval } from "../uptime/intervals.ts";
import { eventsBy } from "./event-selection.repository.ts";

/** Most events of a time that are looked at for changes: those of a storm are too many to read them all. */
const MAX_READ = 5000;

/** @param source events in order of time, with an index @param where which of the newest of them */
function changesAmong(db: Db, source: SQL, where: SQL | undefined, limit: number) {
  const newest = sql`select ${events.id} from ${source} order by ${events.date} desc, ${events.id} desc limit ${MAX_READ}`;
  return db
    .select({
      id: events.id,
      date: events.date,
      hostid: events.hostId,
      hostname: hosts.hostname,
      servicename: names.name,
      eventtype: events.eventType,
      message: events.message,
    })
    .from(events)
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(and(sql`${events.id} in (${newest})`, sql`+${events.state} = ${CHANGE}`, where))
    .orderBy(desc(events.date), desc(events.id))
    .limit(limit)
    .all();
}

function during({ from, to }: Interval): SQL {
  return sql`${events.date} >= ${from} and ${events.date} <= ${to}`;
}

/** The newest changes of a host within a time, both ends included (index events_by_host_and_date). */
export function changesOfHost(db: Db, hostId: number, time: Interval, limit: number) {
  const source = sql`${eventsBy("events_by_host_and_date")} where ${events.hostId} = ${hostId} and ${during(time)}`;
  return changesAmong(db, source, undefined, limit);
}

/** Those of the other hosts that share a group with it, as far as they are in the scope (index events_by_date). */
export function changesOfGroups(db: Db, hostId: number, time: Interval, scope: Scope, limit: number) {
  const isMember = sql`exists (select 1 from ${hostGroupMembers} own join ${hostGroupMembers} other
    on own.group_id = other.group_id where own.host_id = ${hostId} and other.host_id = ${events.hostId})`;
  const source = sql`${eventsBy("events_by_date")} where ${during(time)}`;
  const where = and(sql`+${events.hostId} <> ${hostId}`, isMember, inScope(events.hostId, scope));
  return changesAmong(db, source, where, limit);
}
