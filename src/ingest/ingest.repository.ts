import { and, eq, inArray, notInArray, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../database/open.ts";
import {
  hostGroupMembers,
  hostGroups,
  hosts,
  sampleLayouts,
  samples,
  serviceGroupMembers,
  serviceGroups,
  services,
  statistics,
} from "../database/schema.ts";
import type { HostRow, ServiceRow } from "./fleet.ts";

export type NewHost = typeof hosts.$inferInsert;
export type NewService = Omit<ServiceRow, "id" | "vanishedAt">;

export function insertHost(db: Db, row: NewHost): HostRow {
  return db.insert(hosts).values(row).returning().get();
}

export function updateHost(db: Db, hostId: number, changes: Partial<HostRow>): void {
  db.update(hosts).set(changes).where(eq(hosts.id, hostId)).run();
}

const insertServiceStatement = prepareOnce((db) =>
  db
    .insert(services)
    .values({
      hostId: sql.placeholder("hostId"),
      nameId: sql.placeholder("nameId"),
      createdAt: sql.placeholder("createdAt"),
      type: sql.placeholder("type"),
      monitorState: sql.placeholder("monitorState"),
      monitorMode: sql.placeholder("monitorMode"),
      onReboot: sql.placeholder("onReboot"),
      status: sql.placeholder("status"),
      statusHint: sql.placeholder("statusHint"),
      every: sql.placeholder("every"),
      led: sql.placeholder("led"),
      events: sql.placeholder("events"),
    })
    .returning()
    .prepare(),
);

export function insertService(db: Db, row: NewService): ServiceRow {
  return insertServiceStatement(db).get(row);
}

export function updateService(db: Db, serviceId: number, changes: Partial<ServiceRow>): void {
  db.update(services).set(changes).where(eq(services.id, serviceId)).run();
}

const findServiceStatement = prepareOnce((db) =>
  db
    .select()
    .from(services)
    .where(
      and(eq(services.hostId, sql.placeholder("hostId")), eq(services.nameId, sql.placeholder("nameId"))),
    )
    .prepare(),
);

/** A service that vanished earlier, or undefined. */
export function findService(db: Db, hostId: number, nameId: number): ServiceRow | undefined {
  return findServiceStatement(db).get({ hostId, nameId });
}

export function statisticsOfHost(db: Db, hostId: number) {
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
    .all();
}

const insertStatisticStatement = prepareOnce((db) =>
  db
    .insert(statistics)
    .values({
      serviceId: sql.placeholder("serviceId"),
      type: sql.placeholder("type"),
      descriptor: sql.placeholder("descriptor"),
    })
    .returning({ id: statistics.id })
    .prepare(),
);

export function insertStatistic(db: Db, serviceId: number, type: number, descriptor: string): number {
  return insertStatisticStatement(db).get({ serviceId, type, descriptor }).id;
}

export function updateStatisticText(db: Db, statisticId: number, text: string): void {
  db.update(statistics).set({ text }).where(eq(statistics.id, statisticId)).run();
}

/** A host's layouts of which no loose sample is left; blocks carry their own. */
function deleteUnusedLayouts(db: Db, hostId: number): void {
  const used = db.selectDistinct({ id: samples.layoutId }).from(samples).where(eq(samples.hostId, hostId));
  db.delete(sampleLayouts)
    .where(and(eq(sampleLayouts.hostId, hostId), notInArray(sampleLayouts.id, used)))
    .run();
}

/**
 * The id of a host's layout with just these statistic ids, made if new; then unused ones go, so that a host has few,
 * however often it changes.
 */
export function layoutIdOf(db: Db, hostId: number, statisticIds: Uint32Array): number {
  const bytes = Buffer.from(statisticIds.buffer, statisticIds.byteOffset, statisticIds.byteLength);
  const known = db
    .select({ id: sampleLayouts.id })
    .from(sampleLayouts)
    .where(and(eq(sampleLayouts.hostId, hostId), eq(sampleLayouts.statisticIds, bytes)))
    .get();
  if (known) return known.id;
  deleteUnusedLayouts(db, hostId);
  return db
    .insert(sampleLayouts)
    .values({ hostId, statisticIds: bytes })
    .returning({ id: sampleLayouts.id })
    .get().id;
}

/** Sets the groups of a host that its agent asks for; what was joined by hand stays. Groups are made if new. */
export function setAgentHostGroups(db: Db, hostId: number, groupNames: readonly string[]): void {
  const wanted = groupNames.map((name) => {
    const known = db.select({ id: hostGroups.id }).from(hostGroups).where(eq(hostGroups.name, name)).get();
    return known?.id ?? db.insert(hostGroups).values({ name }).returning({ id: hostGroups.id }).get().id;
  });
  const mine = eq(hostGroupMembers.hostId, hostId);
  db.update(hostGroupMembers).set({ byAgent: false }).where(mine).run();
  for (const groupId of wanted)
    db.insert(hostGroupMembers)
      .values({ groupId, hostId, byAgent: true })
      .onConflictDoUpdate({
        target: [hostGroupMembers.groupId, hostGroupMembers.hostId],
        set: { byAgent: true },
      })
      .run();
  db.delete(hostGroupMembers)
    .where(and(mine, eq(hostGroupMembers.byAgent, false), eq(hostGroupMembers.byHand, false)))
    .run();
}

/** Sets the service groups of a host: those not named are gone. @param groups service ids by group name */
export function setServiceGroups(
  db: Db,
  hostId: number,
  groups: ReadonlyMap<string, readonly number[]>,
): void {
  const known = db.select().from(serviceGroups).where(eq(serviceGroups.hostId, hostId)).all();
  const gone = known.filter((group) => !groups.has(group.name)).map((group) => group.id);
  if (gone.length > 0) db.delete(serviceGroups).where(inArray(serviceGroups.id, gone)).run();
  for (const [name, serviceIds] of groups) {
    const groupId =
      known.find((group) => group.name === name)?.id ??
      db.insert(serviceGroups).values({ hostId, name }).returning({ id: serviceGroups.id }).get().id;
    db.delete(serviceGroupMembers).where(eq(serviceGroupMembers.groupId, groupId)).run();
    if (serviceIds.length > 0)
      db.insert(serviceGroupMembers)
        .values(serviceIds.map((serviceId) => ({ groupId, serviceId })))
        .run();
  }
}

const value = (name: string) => sql`${sql.placeholder(name)}`;

/** The two statements that every message runs. */
export const hotStatements = prepareOnce((db) => ({
  touchHost: db
    .update(hosts)
    .set({
      lastmodified: value("lastmodified"),
      deadline: value("deadline"),
      agentUptime: value("agentUptime"),
      cpu: value("cpu"),
      mem: value("mem"),
    })
    .where(eq(hosts.id, sql.placeholder("id")))
    .prepare(),
  insertSample: db
    .insert(samples)
    .values({
      hostId: sql.placeholder("hostId"),
      layoutId: sql.placeholder("layoutId"),
      at: sql.placeholder("at"),
      values: sql.placeholder("values"),
    })
    .prepare(),
}));
