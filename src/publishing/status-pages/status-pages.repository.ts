import { and, asc, count, eq, inArray, isNull } from "drizzle-orm";
import { isTagged } from "../../monitoring/tags/tags.repository.ts";
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

type Row = typeof statusPages.$inferSelect;

export interface StatusPage extends Omit<Row, "tags"> {
  /** Only hosts of the group with these tags; empty: all of them. */
  tags: string[];
}

/** What is undefined keeps its value. */
type Changes = { [K in "title" | "groupId" | "tags" | "slug" | "services"]: StatusPage[K] | undefined };

function parsed<T extends { tags: string }>(row: T): Omit<T, "tags"> & Pick<StatusPage, "tags"> {
  return { ...row, tags: JSON.parse(row.tags) as string[] };
}

const columns = {
  id: statusPages.id,
  title: statusPages.title,
  groupid: statusPages.groupId,
  groupname: hostGroups.name,
  tags: statusPages.tags,
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
  return inNameOrder(rows, ({ title }) => title).map(parsed);
}

export function findStatusPage(db: Db, id: number): StatusPage | undefined {
  const row = db.select().from(statusPages).where(eq(statusPages.id, id)).get();
  return row && parsed(row);
}

export function findStatusPageBySlug(db: Db, slug: string): StatusPage | undefined {
  const row = db.select().from(statusPages).where(eq(statusPages.slug, slug)).get();
  return row && parsed(row);
}

export function insertStatusPage(db: Db, page: Omit<StatusPage, "id">): number {
  const values = { ...page, tags: JSON.stringify(page.tags) };
  return db.insert(statusPages).values(values).returning({ id: statusPages.id }).get().id;
}

export function updateStatusPage(db: Db, id: number, changes: Changes): void {
  const tags = changes.tags && JSON.stringify(changes.tags);
  db.update(statusPages)
    .set({ ...changes, tags })
    .where(eq(statusPages.id, id))
    .run();
}

export function deleteStatusPage(db: Db, id: number): void {
  db.delete(statusPages).where(eq(statusPages.id, id)).run();
}

/** The condition that a host, joined with its memberships, is on a page. */
function isOn({ groupId, tags }: Pick<StatusPage, "groupId" | "tags">) {
  return and(eq(hostGroupMembers.groupId, groupId), isTagged(hosts.id, tags, false));
}

/** Number of a page's hosts per LED. */
export function ledsOfPage(db: Db, page: StatusPage): { led: number; n: number }[] {
  return db
    .select({ led: hosts.led, n: count() })
    .from(hosts)
    .innerJoin(hostGroupMembers, eq(hostGroupMembers.hostId, hosts.id))
    .where(isOn(page))
    .groupBy(hosts.led)
    .all();
}

/** The hosts of a page, worst first, then by name. */
export function hostsOfPage(db: Db, page: StatusPage, limit: number) {
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
    .where(isOn(page))
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
