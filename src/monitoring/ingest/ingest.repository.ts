import { and, eq, isNull, notInArray, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { rowWriter } from "../../platform/storage/row-writer.ts";
import {
  type HostRow,
  hosts,
  names,
  type ServiceRow,
  sampleLayouts,
  samples,
  services,
} from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";

export type NewService = Omit<ServiceRow, "id" | "vanishedAt" | "events">;

const hostStatements = prepareOnce((db) => ({
  ofAgent: db
    .select()
    .from(hosts)
    .where(eq(hosts.agentId, sql.placeholder("agentId")))
    .prepare(),
  services: db
    .select({ service: services, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(eq(services.hostId, sql.placeholder("hostId")), isNull(services.vanishedAt)))
    .prepare(),
}));

export function hostOfAgent(db: Db, agentId: string): HostRow | undefined {
  return hostStatements(db).ofAgent.get({ agentId });
}

/** The services in the last message of a host's agent, in any order. */
export function servicesOfHost(db: Db, hostId: number): { service: ServiceRow; name: string }[] {
  return hostStatements(db).services.all({ hostId });
}

const usageStatement = prepareOnce((db) =>
  db
    .select({ cpu: hosts.cpu, mem: hosts.mem })
    .from(hosts)
    .where(eq(hosts.id, sql.placeholder("hostId")))
    .prepare(),
);

/** The last known usage of a host, in percent. The host cache is not updated with it. */
export function usageOfHost(db: Db, hostId: number): { cpu: number; mem: number } {
  return usageStatement(db).get({ hostId }) ?? { cpu: -1, mem: -1 };
}

/** Raw SQL, one statement for many rows: a new host has up to a thousand services. */
const insertServicesStatement = prepareOnce((db) => {
  const columns = {
    host_id: "bigint",
    name_id: "bigint",
    created_at: "bigint",
    type: "bigint",
    monitor_state: "bigint",
    monitor_mode: "bigint",
    on_reboot: "bigint",
    status: "bigint",
    status_hint: "bigint",
    limit_level: "bigint",
    led: "bigint",
    every: "text",
  };
  const values = Object.values(columns).map((type, i) => `cast(value ->> ${i} as ${type})`);
  // An event may come before its service is first listed.
  const events = `(select count(*) from events where events.host_id = ${values[0]} and events.name_id = ${values[1]})`;
  return db.$client.prepare<{ id: number; nameId: number; events: number }, [string]>(
    `insert into services (${Object.keys(columns)}, events) select ${values}, ${events} from json_each(?)
     returning id, name_id as "nameId", events`,
  );
});

/** Inserts services of one host, each with another name. @returns their rows, in any order */
export function insertServices(db: Db, rows: readonly NewService[]): ServiceRow[] {
  if (rows.length === 0) return [];
  const columns = rows.map((row) => [
    row.hostId,
    row.nameId,
    row.createdAt,
    row.type,
    row.monitorState,
    row.monitorMode,
    row.onReboot,
    row.status,
    row.statusHint,
    row.limitLevel,
    row.led,
    row.every,
  ]);
  const inserted = insertServicesStatement(db).all(JSON.stringify(columns));
  const byName = new Map(rows.map((row) => [row.nameId, row]));
  return inserted.flatMap(({ id, nameId, events }) => {
    const row = byName.get(nameId);
    return row ? [{ ...row, id, events, vanishedAt: null }] : [];
  });
}

const updateServiceStatement = byColumns((db, values: Partial<ServiceRow>) =>
  db
    .update(services)
    .set(values)
    .where(eq(services.id, sql.placeholder("rowId")))
    .prepare(),
);

export function updateService(db: Db, serviceId: number, changes: Partial<ServiceRow>): void {
  updateServiceStatement(db, changes).run({ ...changes, rowId: serviceId });
}

const servicesOfNames = prepareOnce((db) =>
  db
    .select()
    .from(services)
    .where(
      and(
        eq(services.hostId, sql.placeholder("hostId")),
        sql`${services.nameId} in (select value from json_each(${sql.placeholder("nameIds")}))`,
      ),
    )
    .prepare(),
);

/** The services of a host with one of these names, by name id, if they existed before. */
export function findServices(db: Db, hostId: number, nameIds: readonly number[]): Map<number, ServiceRow> {
  const found = servicesOfNames(db).all({ hostId, nameIds: JSON.stringify(nameIds) });
  return new Map(found.map((row) => [row.nameId, row]));
}

export interface StoredStatistic {
  id: number;
  serviceId: number;
  type: number;
  descriptor: string;
  text: string | null;
}

export type NewStatistic = Omit<StoredStatistic, "id">;

/** A list of ids in SQL. A subquery would let PostgreSQL read all services first, and then compare. */
const LISTED = {
  sqlite: "in (select value from json_each(?))",
  postgres: "= any (array(select value from json_each(?)))",
} as const;

/** Raw SQL: a host has many statistics, and rows of the query builder cost ten times as much. */
const statisticStatements = prepareOnce((db) => ({
  ofHosts: db.$client.prepare<StoredStatistic & { hostId: number }, [string]>(
    `select host_id as "hostId", statistics.id, service_id as "serviceId", statistics.type, descriptor, text
     from services join statistics on service_id = services.id
     where host_id ${LISTED[db.engine.kind]} and vanished_at is null order by statistics.id`,
  ),
  insert: db.$client.prepare<StoredStatistic, [string]>(
    `insert into statistics (service_id, type, descriptor, text)
     select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), value ->> 2, value ->> 3 from json_each(?)
     returning id, service_id as "serviceId", type, descriptor, text`,
  ),
  setText: db.$client.prepare<null, [string, number]>("update statistics set text = ? where id = ?"),
}));

/** The statistics of hosts' present services. Vanished services can have many more. */
export function statisticsOfHosts(
  db: Db,
  hostIds: readonly number[],
): (StoredStatistic & { hostId: number })[] {
  return statisticStatements(db).ofHosts.all(JSON.stringify(hostIds));
}

/** Inserts many statistics with one statement: a new host has dozens. @returns their rows, in any order */
export function insertStatistics(db: Db, rows: readonly NewStatistic[]): StoredStatistic[] {
  const columns = rows.map(({ serviceId, type, descriptor, text }) => [serviceId, type, descriptor, text]);
  return statisticStatements(db).insert.all(JSON.stringify(columns));
}

export function updateStatisticText(db: Db, statisticId: number, text: string): void {
  statisticStatements(db).setText.run(text, statisticId);
}

/** Statistic ids as they are stored. */
export function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const layoutStatements = prepareOnce((db) => ({
  find: db
    .select({ id: sampleLayouts.id })
    .from(sampleLayouts)
    .where(
      and(
        eq(sampleLayouts.hostId, sql.placeholder("hostId")),
        eq(sampleLayouts.statisticIds, sql.placeholder("bytes")),
      ),
    )
    .prepare(),
  /** Deletes a host's layouts that no unpacked sample uses. Blocks contain their own layouts. */
  deleteUnused: db
    .delete(sampleLayouts)
    .where(
      and(
        eq(sampleLayouts.hostId, sql.placeholder("hostId")),
        notInArray(
          sampleLayouts.id,
          db
            .selectDistinct({ id: samples.layoutId })
            .from(samples)
            .where(eq(samples.hostId, sql.placeholder("hostId"))),
        ),
      ),
    )
    .prepare(),
  insert: db
    .insert(sampleLayouts)
    .values({ hostId: sql.placeholder("hostId"), statisticIds: sql.placeholder("bytes") })
    .returning({ id: sampleLayouts.id })
    .prepare(),
}));

export interface SampleLayout {
  id: number;
  isNew: boolean;
}

/** Finds the host's sample layout with exactly these statistic ids and creates it if needed. */
export function layoutOf(db: Db, hostId: number, statisticIds: Uint32Array): SampleLayout {
  const known = layoutStatements(db).find.get({ hostId, bytes: bytesOf(statisticIds) });
  return known ? { id: known.id, isNew: false } : createLayout(db, hostId, statisticIds);
}

/**
 * Creates a sample layout that the host does not have. Deletes unused ones, so that their number stays small however
 * often a host changes.
 */
export function createLayout(db: Db, hostId: number, statisticIds: Uint32Array): SampleLayout {
  const { deleteUnused, insert } = layoutStatements(db);
  deleteUnused.run({ hostId });
  return { id: insert.get({ hostId, bytes: bytesOf(statisticIds) }).id, isNew: true };
}

interface StoredGroup {
  id: number;
  name: string;
  /** Ids of the group's services, as a JSON array. */
  members: string;
}

/** Raw SQL: an agent can have hundreds of groups, and the query builder takes half a millisecond for each. */
const serviceGroupStatements = prepareOnce((db) => ({
  ofHost: db.$client.prepare<StoredGroup, [number]>(
    `select id, name, (
       select json_group_array(service_id) from service_group_members where group_id = service_groups.id
     ) as members
     from service_groups where host_id = ?`,
  ),
  insert: db.$client.prepare<{ id: number }, [number, string]>(
    "insert into service_groups (host_id, name) values (?, ?) returning id",
  ),
  delete: db.$client.prepare<null, [string]>(
    "delete from service_groups where id in (select value from json_each(?))",
  ),
  deleteMembers: db.$client.prepare<null, [number]>("delete from service_group_members where group_id = ?"),
  insertMembers: db.$client.prepare<null, [number, string]>(
    "insert into service_group_members (group_id, service_id) select ?, value from json_each(?)",
  ),
}));

function holds(group: StoredGroup | undefined, serviceIds: readonly number[]): boolean {
  if (!group) return false;
  const members = new Set(JSON.parse(group.members) as number[]);
  return members.size === serviceIds.length && serviceIds.every((id) => members.has(id));
}

/** Replaces the service groups of a host. @param groups service ids by group name */
export function setServiceGroups(
  db: Db,
  hostId: number,
  groups: ReadonlyMap<string, readonly number[]>,
): void {
  const statements = serviceGroupStatements(db);
  const known = new Map(statements.ofHost.all(hostId).map((group) => [group.name, group]));
  const gone = [...known.values()].filter(({ name }) => !groups.has(name)).map(({ id }) => id);
  if (gone.length > 0) statements.delete.run(JSON.stringify(gone));
  for (const [name, serviceIds] of groups) {
    const present = known.get(name);
    if (holds(present, serviceIds)) continue;
    const groupId = present?.id ?? statements.insert.get(hostId, name)?.id;
    if (groupId === undefined) throw new Error(`service group "${name}" has no row`);
    if (present) statements.deleteMembers.run(groupId);
    statements.insertMembers.run(groupId, JSON.stringify(serviceIds));
  }
}

/** Raw SQL here and below: these account for most of a message's database time, and the query builder doubles it. */
export const touchHost = rowWriter<
  [lastmodified: number, deadline: number, agentUptime: number, cpu: number, mem: number, hostId: number]
>({
  sqlite: "update hosts set lastmodified = ?, deadline = ?, agent_uptime = ?, cpu = ?, mem = ? where id = ?",
  postgres: `update hosts set lastmodified = given.lastmodified, deadline = given.deadline, agent_uptime = given.uptime,
      cpu = given.cpu, mem = given.mem
    from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::double precision[], ?5::double precision[], ?6::bigint[])
      as given(lastmodified, deadline, uptime, cpu, mem, id)
    where hosts.id = given.id`,
});

export const insertSample = rowWriter<[hostId: number, layoutId: number, at: number, values: Buffer]>({
  sqlite: 'insert into samples (host_id, layout_id, "at", "values") values (?, ?, ?, ?)',
  postgres: `insert into samples (host_id, layout_id, "at", "values")
    select * from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bytea[])`,
});

const changeServiceStatement = rowWriter<(number | string)[]>({
  sqlite: `update services set type = ?, monitor_state = ?, monitor_mode = ?, on_reboot = ?, status = ?, status_hint = ?,
    limit_level = ?, every = ?, led = ? where id = ?`,
  postgres: `update services set type = given.type, monitor_state = given.monitor_state, monitor_mode = given.monitor_mode,
      on_reboot = given.on_reboot, status = given.status, status_hint = given.status_hint,
      limit_level = given.limit_level, every = given.every, led = given.led
    from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[], ?6::bigint[], ?7::bigint[],
        ?8::text[], ?9::bigint[], ?10::bigint[])
      as given(type, monitor_state, monitor_mode, on_reboot, status, status_hint, limit_level, every, led, id)
    where services.id = given.id`,
});

/** Stores everything that a message tells about a service. */
export function changeService(db: Db, row: ServiceRow): void {
  const { type, monitorState, monitorMode, onReboot, status, statusHint, limitLevel, every, led, id } = row;
  const state = [type, monitorState, monitorMode, onReboot, status, statusHint, limitLevel, every, led];
  changeServiceStatement(db, ...state, id);
}
