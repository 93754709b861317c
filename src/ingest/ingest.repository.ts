import { and, eq, inArray, notInArray, sql } from "drizzle-orm";
import type { Db } from "../database/open.ts";
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
export type NewService = typeof services.$inferInsert;

export function insertHost(db: Db, row: NewHost): HostRow {
  return db.insert(hosts).values(row).returning().get();
}

export function updateHost(db: Db, hostId: number, changes: Partial<HostRow>): void {
  db.update(hosts).set(changes).where(eq(hosts.id, hostId)).run();
}

export function insertService(db: Db, row: NewService): ServiceRow {
  return db.insert(services).values(row).returning().get();
}

export function updateService(db: Db, serviceId: number, changes: Partial<ServiceRow>): void {
  db.update(services).set(changes).where(eq(services.id, serviceId)).run();
}

/** A service that vanished earlier, or undefined. */
export function findService(db: Db, hostId: number, nameId: number): ServiceRow | undefined {
  return db
    .select()
    .from(services)
    .where(and(eq(services.hostId, hostId), eq(services.nameId, nameId)))
    .get();
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

export function insertStatistic(db: Db, serviceId: number, type: number, descriptor: string): number {
  return db.insert(statistics).values({ serviceId, type, descriptor }).returning({ id: statistics.id }).get()
    .id;
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

/** The two statements that every message runs, prepared once. */
export function prepareHotStatements(db: Db) {
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  return {
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
  };
}

export type HotStatements = ReturnType<typeof prepareHotStatements>;
