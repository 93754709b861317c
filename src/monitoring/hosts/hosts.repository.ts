import { and, asc, eq, inArray, isNull, lte } from "drizzle-orm";
import { withHostnameKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type HostRow, hosts, names, services } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";

export function allHosts(db: Db) {
  return db
    .select({
      id: hosts.id,
      hostname: hosts.hostname,
      ipaddrin: hosts.ipaddrin,
      ipaddrout: hosts.ipaddrout,
      description: hosts.description,
      agentVersion: hosts.agentVersion,
      status: hosts.status,
    })
    .from(hosts)
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .all();
}

export function findHost(db: Db, id: number): HostRow | undefined {
  return db.select().from(hosts).where(eq(hosts.id, id)).get();
}

/** Which of these ids are hosts. */
export function existingHosts(db: Db, ids: readonly number[]): Set<number> {
  const rows = db
    .select({ id: hosts.id })
    .from(hosts)
    .where(inArray(hosts.id, [...ids]))
    .all();
  return new Set(rows.map((row) => row.id));
}

export function updateHost(db: Db, id: number, changes: Partial<HostRow>): void {
  db.update(hosts).set(withHostnameKey(changes)).where(eq(hosts.id, id)).run();
}

/** Deletes a host and everything that belongs to it. */
/** @returns whether there was one */
export function deleteHost(db: Db, id: number): boolean {
  return db.delete(hosts).where(eq(hosts.id, id)).returning({ id: hosts.id }).get() !== undefined;
}

/** Hosts that are Inactive and sent their last message at `before` or earlier. */
export function inactiveHosts(db: Db, before: number): number[] {
  return db
    .select({ id: hosts.id })
    .from(hosts)
    .where(and(eq(hosts.status, HOST_STATUS.inactive), lte(hosts.lastmodified, before)))
    .all()
    .map((row) => row.id);
}

/** The services of a host that its agent lists now, by name. */
export function presentServices(db: Db, hostId: number) {
  return db
    .select({ service: services, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(eq(services.hostId, hostId), isNull(services.vanishedAt)))
    .orderBy(asc(names.nameKey), asc(services.id))
    .all();
}
