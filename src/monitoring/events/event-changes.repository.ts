import { and, desc, eq, gte, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { CHANGE } from "../../monit/event-types.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  events,
  hostGroupMembers,
  hosts,
  names,
  outputChanges,
  services,
} from "../../platform/storage/schema.ts";
import { unindexed } from "../../platform/storage/words.ts";
import { inScope } from "../scope/scope.repository.ts";
import type { Interval } from "../uptime/intervals.ts";
import { eventsBy } from "./event-selection.repository.ts";

/** The most events of a period that are searched for changes: a storm has too many to read. */
const MAX_READ = 5000;

/** @param source events in order of time, with an index @param where a condition for the newest events */
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
    .where(and(sql`${events.id} in (${newest})`, sql`${unindexed(events.state)} = ${CHANGE}`, where))
    .orderBy(desc(events.date), desc(events.id))
    .limit(limit)
    .all();
}

function during({ from, to }: Interval): SQL {
  return sql`${events.date} >= ${from} and ${events.date} <= ${to}`;
}

/** The newest changes of a host within a period, both ends included (index events_by_host_and_date). */
export function changesOfHost(db: Db, hostId: number, time: Interval, limit: number) {
  const source = sql`${eventsBy("events_by_host_and_date")} where ${events.hostId} = ${hostId} and ${during(time)}`;
  return changesAmong(db, source, undefined, limit);
}

/** The id of the newest change of a host within a period, as part of a statement about many hosts. */
export function lastChangeOfHost(
  hostId: SQLWrapper,
  { from, to }: { from: SQLWrapper; to: SQLWrapper },
): SQL {
  const { id, date, state } = events;
  const newest = sql`select ${id} from ${eventsBy("events_by_host_and_date")} where ${events.hostId} = ${hostId}
    and ${date} >= ${from} and ${date} <= ${to} order by ${date} desc, ${id} desc limit ${MAX_READ}`;
  return sql`(select ${id} from ${events} where ${id} in (${newest}) and ${unindexed(state)} = ${CHANGE}
    order by ${date} desc, ${id} desc limit 1)`;
}

/** The other hosts of the scope that share a group with a host. */
function isOtherOfGroups(column: AnySQLiteColumn, hostId: number, scope: Scope): SQL | undefined {
  const isMember = sql`exists (select 1 from ${hostGroupMembers} own join ${hostGroupMembers} other
    on own.group_id = other.group_id where own.host_id = ${hostId} and other.host_id = ${column})`;
  return and(sql`${unindexed(column)} <> ${hostId}`, isMember, inScope(column, scope));
}

/** The newest changes of other members of the host's groups within a period (index events_by_date). */
export function changesOfGroups(db: Db, hostId: number, time: Interval, scope: Scope, limit: number) {
  const source = sql`${eventsBy("events_by_date")} where ${during(time)}`;
  return changesAmong(db, source, isOtherOfGroups(events.hostId, hostId, scope), limit);
}

/** The newest changes of program output within a period. */
function outputsAmong(db: Db, { from, to }: Interval, where: SQL | undefined, limit: number) {
  const { id, hostId, date, before, after, serviceId } = outputChanges;
  return db
    .select({ id, date, hostid: hostId, hostname: hosts.hostname, servicename: names.name, before, after })
    .from(outputChanges)
    .innerJoin(hosts, eq(hosts.id, hostId))
    .innerJoin(services, eq(services.id, serviceId))
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(where, gte(date, from), lte(date, to)))
    .orderBy(desc(date), desc(id))
    .limit(limit)
    .all();
}

/** The newest changes of program output of a host within a period, both ends included. */
export function outputChangesOfHost(db: Db, hostId: number, time: Interval, limit: number) {
  return outputsAmong(db, time, eq(outputChanges.hostId, hostId), limit);
}

/** The newest changes of program output of other members of the host's groups. */
export function outputChangesOfGroups(db: Db, hostId: number, time: Interval, scope: Scope, limit: number) {
  return outputsAmong(db, time, isOtherOfGroups(outputChanges.hostId, hostId, scope), limit);
}
