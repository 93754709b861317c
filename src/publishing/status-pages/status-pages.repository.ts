import { and, asc, count, eq, inArray, isNull } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  hostGroupMembers,
  hostGroups,
  hosts,
  names,
  services,
  statusPages,
} from "../../platform/storage/schema.ts";

export type StatusPage = typeof statusPages.$inferSelect;

/** Columns that are undefined keep their value. */
type Changes = { [K in "title" | "groupId" | "slug" | "services"]: StatusPage[K] | undefined };

const columns = {
  id: statusPages.id,
  title: statusPages.title,
  groupid: statusPages.groupId,
  groupname: hostGroups.name,
  slug: statusPages.slug,
  services: statusPages.services,
  created: statusPages.createdAt,
};

export function allStatusPages(db: Db) {
  const rows = db
    .select(columns)
    .from(statusPages)
    .innerJoin(hostGroups, eq(hostGroups.id, statusPages.groupId))
    .orderBy(asc(statusPages.id))
    .all();
  return inNameOrder(rows, ({ title }) => title);
}

export function findStatusPage(db: Db, id: number): StatusPage | undefined {
  return db.select().from(statusPages).where(eq(statusPages.id, id)).get();
}

export function findStatusPageBySlug(db: Db, slug: string): StatusPage | undefined {
  return db.select().from(statusPages).where(eq(statusPages.slug, slug)).get();
}

export function insertStatusPage(db: Db, page: Omit<StatusPage, "id">): number {
  return db.insert(statusPages).values(page).returning({ id: statusPages.id }).get().id;
}

export function updateStatusPage(db: Db, id: number, changes: Changes): void {
  db.update(statusPages).set(changes).where(eq(statusPages.id, id)).run();
}

export function deleteStatusPage(db: Db, id: number): void {
  db.delete(statusPages).where(eq(statusPages.id, id)).run();
}

/** Number of a group's hosts per LED. */
export function ledsOfGroup(db: Db, groupId: number): { led: number; n: number }[] {
  return db
    .select({ led: hosts.led, n: count() })
    .from(hosts)
    .innerJoin(hostGroupMembers, eq(hostGroupMembers.hostId, hosts.id))
    .where(eq(hostGroupMembers.groupId, groupId))
    .groupBy(hosts.led)
    .all();
}

/** The hosts of a group, worst first, then by name. */
export function hostsOfGroup(db: Db, groupId: number, limit: number) {
  return db
    .select({
      id: hosts.id,
      hostname: hosts.hostname,
      led: hosts.led,
      status: hosts.status,
      servicesTotal: hosts.servicesTotal,
      servicesOk: hosts.servicesOk,
      stopped: hosts.stopped,
      heartbeat: hosts.heartbeat,
      lastmodified: hosts.lastmodified,
    })
    .from(hosts)
    .innerJoin(hostGroupMembers, eq(hostGroupMembers.hostId, hosts.id))
    .where(eq(hostGroupMembers.groupId, groupId))
    .orderBy(asc(hosts.led), asc(hosts.hostnameKey), asc(hosts.id))
    .limit(limit)
    .all();
}

/** The services of hosts, worst first, then by name. */
export function servicesOfHosts(db: Db, hostIds: readonly number[]) {
  return db
    .select({
      hostId: services.hostId,
      nameId: services.nameId,
      name: names.name,
      led: services.led,
      monitorState: services.monitorState,
      status: services.status,
      statusHint: services.statusHint,
      limitLevel: services.limitLevel,
    })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(inArray(services.hostId, [...hostIds]), isNull(services.vanishedAt)))
    .orderBy(asc(services.led), asc(names.nameKey), asc(services.id))
    .all();
}
