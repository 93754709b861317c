import { and, asc, eq, gt, gte, isNull, min, or, sql } from "drizzle-orm";
import { type Check, ofCheck } from "../../monitoring/uptime/downtime.repository.ts";
import { type Reference, schemaReferences } from "../../platform/storage/foreign-keys.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  downtimeIntervals,
  events,
  hosts,
  limitStates,
  limits,
  names,
  services,
} from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";

/** Every check that ever failed or recovered, with its names. */
export function allChecks(db: Db): (Check & { hostname: string; name: string; incarnation: number })[] {
  return db.all(sql`
    select c.host_id as "hostId", c.name_id as "nameId", c.event_type as "eventType", c.limit_id as "limitId",
      ${hosts.hostname} as hostname, ${hosts.incarnation} as incarnation, ${names.name} as name
    from (
      select host_id, name_id, event_type, limit_id from events where state in (0, 1)
      union select host_id, name_id, event_type, limit_id from downtime_intervals
    ) c
    join ${hosts} on ${hosts.id} = c.host_id
    join ${names} on ${names.id} = c.name_id
    order by ${hosts.hostnameKey}, ${hosts.id}, ${names.nameKey}, ${names.id}`);
}

/** All downtime intervals of a check, oldest first. */
export function intervalsOfCheck(db: Db, check: Check) {
  return db
    .select()
    .from(downtimeIntervals)
    .where(ofCheck(downtimeIntervals, check))
    .orderBy(asc(downtimeIntervals.startedAt))
    .all();
}

/** Deletes the intervals of a check that are open, or that ended at `since` or later. */
export function deleteIntervalsSince(db: Db, check: Check, since: number): void {
  const recent = or(isNull(downtimeIntervals.endedAt), gte(downtimeIntervals.endedAt, since));
  db.delete(downtimeIntervals)
    .where(and(ofCheck(downtimeIntervals, check), recent))
    .run();
}

/** Date of the oldest event that retention may delete; null if there is none. */
export function oldestClosedEvent(db: Db): number | null {
  const row = db
    .select({ at: min(events.date) })
    .from(events)
    .where(eq(events.active, false))
    .get();
  return row?.at ?? null;
}

/** Hosts whose event counter differs from the number of stored events. */
export function miscountedHosts(db: Db): { id: number; name: string; counted: number; stored: number }[] {
  return db.all(sql`
    select * from (
      select id, hostname as name, events as counted,
        (select count(*) from events where host_id = hosts.id) as stored from hosts
    ) as counters where counted <> stored`);
}

/**
 * Services whose number of events (`counted`) differs from the stored events. Reads all services and events.
 */
export function miscountedServices(
  db: Db,
): { id: number; host: string; name: string; counted: number; stored: number }[] {
  return db.all(sql`
    select * from (
      select services.id, hostname as host, name, services.events as counted,
        (select count(*) from events where host_id = services.host_id and name_id = services.name_id) as stored
      from services join hosts on hosts.id = host_id join names on names.id = name_id
    ) as counters where counted <> stored`);
}

/** All hosts with all columns, by name. */
export function hostsInOrder(db: Db) {
  return db.select().from(hosts).orderBy(asc(hosts.hostnameKey), asc(hosts.id)).all();
}

/** Services as their agents last listed them. */
export function presentServicesOfAll(db: Db) {
  return db
    .select({
      id: services.id,
      hostId: services.hostId,
      nameId: services.nameId,
      name: names.name,
      monitorState: services.monitorState,
      status: services.status,
      statusHint: services.statusHint,
      limitLevel: services.limitLevel,
      led: services.led,
    })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(isNull(services.vanishedAt))
    .all();
}

/** The states of limits that are exceeded, with the names of host and service. */
export function failingLimitStates(db: Db) {
  const { limitId, hostId, nameId, level } = limitStates;
  return db
    .select({ limitId, hostId, nameId, level, hostname: hosts.hostname, name: names.name })
    .from(limitStates)
    .innerJoin(hosts, eq(hosts.id, hostId))
    .innerJoin(names, eq(names.id, nameId))
    .where(gt(level, 0))
    .orderBy(asc(limitId), asc(hostId), asc(nameId))
    .all();
}

/** The states of limits according to their errors, by id of the event. */
export function errorsOfLimits(db: Db, ids: readonly number[]) {
  const rows = db
    .select({
      id: events.id,
      level: events.severity,
      errorAt: events.date,
      serviceType: events.serviceType,
      limitId: limits.id,
    })
    .from(events)
    .leftJoin(limits, eq(limits.id, events.limitId))
    .where(sql`${events.id} in ${listOf(ids)}`)
    .all();
  return new Map(rows.map(({ id, limitId, ...error }) => [id, { ...error, isLimitThere: limitId !== null }]));
}

/** The condition of rows that refer to a missing row by a foreign key. */
function isDangling({ table, columns, parent, parentColumns }: Reference): string {
  const isSet = columns.map((column) => `"${table}"."${column}" is not null`);
  const columnPairs = columns.map((column, i) => `p."${parentColumns[i]}" = "${table}"."${column}"`);
  const isMissing = `not exists (select 1 from "${parent}" p where ${columnPairs.join(" and ")})`;
  return `(${isSet.join(" and ")} and ${isMissing})`;
}

/** Rows of one table that refer to missing rows of another one. */
export interface DanglingRows {
  /** `TABLE to PARENT`. */
  relation: string;
  rows: number;
  /** The foreign keys with this table and this parent. */
  references: readonly Reference[];
}

/** Rows that refer to missing rows: a database may have been restored or filled without its constraints. */
export function danglingRows(db: Db): DanglingRows[] {
  const byRelation = Map.groupBy(schemaReferences(), ({ table, parent }) => `${table} to ${parent}`);
  return [...byRelation].flatMap(([relation, references]) => {
    const conditions = references.map(isDangling).join(" or ");
    const count = `select count(*) as n from "${references[0]?.table}" where ${conditions}`;
    const rows = db.$client.query<{ n: number }>(count).get()?.n ?? 0;
    return rows === 0 ? [] : [{ relation, rows, references }];
  });
}

/** Does to rows that refer to a missing row what its deletion should have done. */
export function finishDeletion(db: Db, reference: Reference): void {
  const { table, columns, onDelete } = reference;
  const empty = columns.map((column) => `"${column}" = null`).join(", ");
  if (onDelete === "cascade") db.$client.run(`delete from "${table}" where ${isDangling(reference)}`);
  if (onDelete === "set null")
    db.$client.run(`update "${table}" set ${empty} where ${isDangling(reference)}`);
}

/** The columns with names, and those with their sort keys, by list. */
const KEYED = {
  hosts: { table: "hosts", name: "hostname", key: "hostname_key" },
  "expected hosts": { table: "expected_hosts", name: "hostname", key: "hostname_key" },
  services: { table: "names", name: "name", key: "name_key" },
  "host groups": { table: "host_groups", name: "name", key: "name_key" },
} as const;
export const KEYED_LISTS = Object.keys(KEYED) as (keyof typeof KEYED)[];

/** All names of a list with their stored sort keys, in any order. */
export function keyedNames(db: Db, list: keyof typeof KEYED): { id: number; name: string; key: string }[] {
  const { table, name, key } = KEYED[list];
  return db.all(sql.raw(`select id, ${name} as name, ${key} as key from ${table}`));
}

/** Sets the stored sort key of a name. @param id of the row in the table of the list */
export function setNameKey(db: Db, list: keyof typeof KEYED, id: number, value: string): void {
  const { table, key } = KEYED[list];
  db.run(sql`update ${sql.raw(table)} set ${sql.raw(key)} = ${value} where id = ${id}`);
}
