import { and, eq, isNull, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordChange, recordRevision } from "../../platform/storage/revisions.repository.ts";
import {
  changeRows,
  insertNewRows,
  insertRows,
  queryRows,
  type RowsQuery,
  writeRows,
} from "../../platform/storage/rows.ts";
import {
  hosts,
  names,
  type ServiceRow,
  sampleLayouts,
  samples,
  serviceGroupMembers,
  services,
  statistics,
} from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";
import { idsIn, jsonList, listOf } from "../../platform/storage/words.ts";
import { failingClasses, isOtherTurn } from "../health/health.ts";
import { packValues } from "../history/sample-values.ts";
import { ofHost } from "../hosts/hosts.repository.ts";

export type NewService = Omit<ServiceRow, "id" | "vanishedAt" | "events">;

const servicesStatement = prepareOnce((db) =>
  db
    .select({ service: services, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(eq(services.hostId, sql.placeholder("hostId")), isNull(services.vanishedAt)))
    .prepare(),
);

/** The services in the last message of a host's agent, in any order. */
export function servicesOfHost(db: Db, hostId: number): { service: ServiceRow; name: string }[] {
  return servicesStatement(db).all({ hostId });
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

const NEW_SERVICE = {
  ...({ hostId: "integer", nameId: "integer", createdAt: "integer", type: "integer" } as const),
  ...({ monitorState: "integer", monitorMode: "integer", onReboot: "integer", status: "integer" } as const),
  ...({ statusHint: "integer", limitLevel: "integer", led: "integer", every: "text" } as const),
} as const;

const COLUMNS = `host_id, name_id, created_at, type, monitor_state, monitor_mode, on_reboot, status, status_hint, limit_level,
  led, every`;

/** Counts the events of each new service: some may have been stored before the service was first listed. */
const insertServiceRows: RowsQuery<typeof NEW_SERVICE, { id: number; nameId: number; events: number }> =
  queryRows(
    NEW_SERVICE,
    ({ rows }) => `insert into services (${COLUMNS}, events) select ${COLUMNS},
      (select count(*) from events where events.host_id = rows.host_id and events.name_id = rows.name_id)
    from ${rows} returning id, name_id as "nameId", events`,
  );

const newServices = insertNewRows(
  services,
  [
    ...(["hostId", "nameId", "createdAt", "type", "monitorState", "monitorMode", "onReboot"] as const),
    ...(["status", "statusHint", "limitLevel", "led", "every", "events"] as const),
  ],
  "hostId",
);

/**
 * Inserts services of one host, with distinct names.
 * @param isNew whether the host is new, so that it has no events
 * @returns their rows, in any order
 */
export function insertServices(db: Db, rows: readonly NewService[], isNew: boolean): ServiceRow[] {
  if (isNew) {
    const ids = newServices.insertAll(
      db,
      rows.map((row) => ({ ...row, events: 0 })),
    );
    return rows.map((row, i) => ({ ...row, id: ids[i] as number, events: 0, vanishedAt: null }));
  }
  const inserted = insertServiceRows(db, rows);
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

/** Sets columns of a service, even of one that has vanished. No revision is recorded: `changeService` does that. */
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
        sql`${services.nameId} in ${listOf(sql.placeholder("nameIds"))}`,
      ),
    )
    .prepare(),
);

/** The services of a host with one of these names, by name id, if they existed before. */
export function findServices(db: Db, hostId: number, nameIds: readonly number[]): Map<number, ServiceRow> {
  const rows = servicesOfNames(db).all({ hostId, nameIds: JSON.stringify(nameIds) });
  return new Map(rows.map((row) => [row.nameId, row]));
}

export interface StoredStatistic {
  id: number;
  serviceId: number;
  type: number;
  descriptor: string;
  text: string | null;
}

export type NewStatistic = Omit<StoredStatistic, "id">;

/**
 * The statistics of present services of hosts, ordered by id within each host. Vanished services, which can have
 * many, are left out.
 */
export const statisticsOfHosts: RowsQuery<{ hostId: "integer" }, StoredStatistic & { hostId: number }> =
  queryRows(
    { hostId: "integer" },
    ({
      rows,
      lookUp,
    }) => `select rows.host_id as "hostId", statistics.id, statistics.service_id as "serviceId",
      statistics.type, statistics.descriptor, statistics.text
    from ${rows}
      ${lookUp("services", "present", "present.host_id = rows.host_id and present.vanished_at is null")}
      join statistics on statistics.service_id = present.id
    order by statistics.id`,
  );

const newStatistics = insertNewRows(statistics, ["serviceId", "type", "descriptor", "text"], null);

/** Inserts statistics: a new host has dozens. @returns their rows, in the same order */
export function insertStatistics(db: Db, rows: readonly NewStatistic[]): StoredStatistic[] {
  const ids = newStatistics.insertAll(db, rows);
  return rows.map(({ serviceId, type, descriptor, text }, i) => ({
    id: ids[i] as number,
    serviceId,
    type,
    descriptor,
    text,
  }));
}

const deletionOfStatistics = prepareOnce((db) =>
  db.$client.prepare<null, [string]>(`delete from statistics where id in ${idsIn("?")}`),
);

/** Deletes statistics. Samples and blocks keep the values, which nothing reads any more: no id is used twice. */
export function deleteStatistics(db: Db, ids: readonly number[]): void {
  deletionOfStatistics(db).run(JSON.stringify(ids));
}

const textStatement = prepareOnce((db) =>
  db.$client.prepare<null, [string, number]>("update statistics set text = ? where id = ?"),
);

/** Sets the last text of a statistic. Layouts that are cached for its host must then be dropped. */
export function updateStatisticText(db: Db, statisticId: number, text: string): void {
  textStatement(db).run(text, statisticId);
}

/** Statistic ids as they are stored. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const LAYOUT = { hostId: "integer", statisticIds: "bytes" } as const;

const findLayouts: RowsQuery<typeof LAYOUT, { nth: number; id: number }> = queryRows(
  LAYOUT,
  ({ rows, lookUp }) =>
    `select rows.nth, layout.id from ${rows} ${lookUp(
      "sample_layouts",
      "layout",
      "layout.host_id = rows.host_id and layout.statistic_ids = rows.statistic_ids",
    )}`,
);

/**
 * Deletes a host's layouts that no unpacked sample uses. Blocks contain their own layouts. The samples are read once
 * rather than for each layout: a host whose services change with every message has hundreds of both.
 */
const deleteUnusedLayouts = writeRows(
  { hostId: "integer" },
  "hostId",
  ({ rows, lookUp }) => `delete from sample_layouts where id in (
    select layout.id from ${rows} ${lookUp("sample_layouts", "layout", "layout.host_id = rows.host_id")}
    except
    select sample.layout_id from ${rows} ${lookUp("samples", "sample", "sample.host_id = rows.host_id")})`,
);

const newLayouts = insertNewRows(sampleLayouts, ["hostId", "statisticIds"], "hostId");

/** A stored layout, and whether it has just been created. */
export interface SampleLayout {
  id: number;
  isNew: boolean;
}

/** The statistics whose values a sample of a host has, in order. */
export interface StatisticsOfSample {
  hostId: number;
  statisticIds: Uint32Array;
  /** Whether some of the statistics are new, so that no layout can have them. */
  isNew: boolean;
  /** Whether the host cannot have a layout yet. */
  isFirst: boolean;
}

/**
 * Finds the sample layouts with exactly these statistics, in the same order. Creates missing ones, and then deletes
 * unused layouts of the host, so that their number stays small however often a host changes.
 * @param layouts each of a different host
 */
export function layoutsOf(db: Db, layouts: readonly StatisticsOfSample[]): SampleLayout[] {
  const layoutRows = layouts.map((layout) => ({ ...layout, statisticIds: bytesOf(layout.statisticIds) }));
  const knownLayouts = layoutRows.filter(({ isNew }) => !isNew);
  const ids = new Map(findLayouts(db, knownLayouts).map(({ nth, id }) => [knownLayouts[nth - 1], id]));
  newLayouts.expect(db, layoutRows.length - ids.size);
  return layoutRows.map((layout) => {
    const id = ids.get(layout);
    return id === undefined ? createLayout(db, layout) : { id, isNew: false };
  });
}

type NewLayout = Pick<StatisticsOfSample, "hostId" | "isFirst"> & { statisticIds: Buffer };

function createLayout(db: Db, layout: NewLayout): SampleLayout {
  if (!layout.isFirst) deleteUnusedLayouts(db, layout);
  return { id: newLayouts.insert(db, layout), isNew: true };
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
       select ${jsonList("service_id")} from service_group_members where group_id = service_groups.id
     ) as members
     from service_groups where host_id = ?`,
  ),
  insert: db.$client.prepare<{ id: number }, [number, string]>(
    "insert into service_groups (host_id, name) values (?, ?) returning id",
  ),
  delete: db.$client.prepare<null, [string]>(`delete from service_groups where id in ${idsIn("?")}`),
  deleteMembers: db.$client.prepare<null, [number]>("delete from service_group_members where group_id = ?"),
}));

const insertMember = insertRows(serviceGroupMembers, ["groupId", "serviceId"], "hostId");

function holds(group: StoredGroup | undefined, serviceIds: readonly number[]): boolean {
  if (!group) return false;
  const members = new Set(JSON.parse(group.members) as number[]);
  return members.size === serviceIds.length && serviceIds.every((id) => members.has(id));
}

/**
 * Replaces the service groups of a host.
 * @param isNew whether the host is new, so that it has no past
 * @param groups service ids by group name
 * @param at unix seconds
 */
export function setServiceGroups(
  db: Db,
  { id: hostId, isNew }: { id: number; isNew: boolean },
  groups: ReadonlyMap<string, readonly number[]>,
  at: number,
): void {
  const statements = serviceGroupStatements(db);
  const stored = new Map(statements.ofHost.all(hostId).map((group) => [group.name, group]));
  const isSame =
    stored.size === groups.size && [...groups].every(([name, ids]) => holds(stored.get(name), ids));
  if (isSame) return;
  const serviceGroups = Object.fromEntries(
    [...stored].map(([name, { members }]) => [name, JSON.parse(members) as number[]]),
  );
  if (!isNew) recordRevision(db, { ...ofHost(hostId, at), content: { serviceGroups } });
  const leftGroupIds = [...stored.values()].filter(({ name }) => !groups.has(name)).map(({ id }) => id);
  if (leftGroupIds.length > 0) statements.delete.run(JSON.stringify(leftGroupIds));
  for (const [name, serviceIds] of groups) {
    const present = stored.get(name);
    if (holds(present, serviceIds)) continue;
    const groupId = present?.id ?? statements.insert.get(hostId, name)?.id;
    if (groupId === undefined) throw new Error(`service group "${name}" has no row`);
    if (present) statements.deleteMembers.run(groupId);
    for (const serviceId of serviceIds) insertMember(db, { hostId, groupId, serviceId });
  }
}

const writeSample = insertRows(samples, ["hostId", "layoutId", "at", "values"], "hostId");

/** The numbers of a message, in the order of their layout. */
export interface NewSample {
  hostId: number;
  layoutId: number;
  /** Unix seconds. */
  at: number;
  values: Float64Array;
}

/** Stores a sample. How many a host may store is not checked: `putSample` does that. */
export function insertSample(db: Db, sample: NewSample): void {
  writeSample(db, { ...sample, values: packValues(sample.values) });
}

const deleteNewest = writeRows(
  { hostId: "integer", at: "integer" },
  "hostId",
  ({ rows }) => `delete from samples where id in (
    select (
      select id from samples as sample where sample.host_id = rows.host_id and sample.at <= rows.at
      order by sample.at desc, sample.id desc limit 1
    ) from ${rows})`,
);

/** Stores a sample in place of the newest one of its host, if that is not packed yet. */
export function replaceSample(db: Db, sample: NewSample): void {
  deleteNewest(db, { hostId: sample.hostId, at: sample.at });
  insertSample(db, sample);
}

const updateFromMessage = changeRows(
  services,
  ["id"],
  ["type", "monitorState", "monitorMode", "onReboot", "status", "statusHint", "limitLevel", "every", "led"],
  "hostId",
);

/**
 * Records what a message changed about a service. A change that is not a failure is not recorded here, as an event
 * reports it. Whether a scheduled check has its turn is not recorded either: that would make a revision in each cycle.
 */
function recordService(db: Db, before: ServiceRow, row: ServiceRow, at: number): void {
  const {
    id: objectId,
    hostId,
    type,
    monitorState,
    monitorMode,
    onReboot,
    every,
    status,
    statusHint,
  } = before;
  const monitored = isOtherTurn(monitorState, row.monitorState) ? {} : { monitorState };
  const shown = { type, ...monitored, monitorMode, onReboot, every };
  // Both are recorded, as either may have changed since without a revision.
  const isOtherFailure = failingClasses(before) !== failingClasses(row);
  const replaced = isOtherFailure ? { ...shown, status, statusHint } : shown;
  const changes = isOtherFailure ? { ...row, status: null, statusHint: null } : row;
  recordChange(db, { kind: "services", hostId, objectId, until: at }, replaced, changes);
}

/**
 * Stores everything that a message tells about a service.
 * @param before the stored row
 * @param at unix seconds
 */
export function changeService(db: Db, before: ServiceRow, row: ServiceRow, at: number): void {
  recordService(db, before, row, at);
  updateFromMessage(db, row);
}

/** Stores that a vanished service is listed again. @param before the stored row @param at unix seconds */
export function returnService(db: Db, before: ServiceRow, row: ServiceRow, at: number): void {
  const { type, monitorState, monitorMode, onReboot, status, statusHint, limitLevel, every, led } = row;
  recordService(db, before, row, at);
  updateService(db, row.id, {
    ...{ type, monitorState, monitorMode, onReboot, status, statusHint, limitLevel, every, led },
    vanishedAt: null,
  });
}
