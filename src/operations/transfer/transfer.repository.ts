import { and, asc, eq, isNull } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { hostGroupMembers, hostGroups, hosts, names, services } from "../../platform/storage/schema.ts";

/** Every host with the settings that administrators made. */
export function hostsToExport(db: Db) {
  return db
    .select({
      id: hosts.id,
      agentId: hosts.agentId,
      hostname: hosts.hostname,
      keepname: hosts.keepname,
      description: hosts.description,
      ipaddrout: hosts.ipaddrout,
      portout: hosts.portout,
      sslout: hosts.sslout,
      sslverify: hosts.sslverify,
      skew: hosts.skew,
      status: hosts.status,
      agentuser: hosts.agentuser,
      agentpassword: hosts.agentpassword,
      credentialsSetByAdmin: hosts.credentialsSetByAdmin,
    })
    .from(hosts)
    .orderBy(asc(hosts.hostnameKey), asc(hosts.agentId))
    .all();
}

/** The names of the groups that hosts were added to by hand, by host id. */
export function groupsByHand(db: Db): (hostId: number) => string[] {
  const rows = db
    .select({ hostId: hostGroupMembers.hostId, name: hostGroups.name })
    .from(hostGroupMembers)
    .innerJoin(hostGroups, eq(hostGroups.id, hostGroupMembers.groupId))
    .where(eq(hostGroupMembers.byHand, true))
    .orderBy(asc(hostGroups.nameKey), asc(hostGroups.id))
    .all();
  const names = Map.groupBy(rows, ({ hostId }) => hostId);
  return (hostId) => (names.get(hostId) ?? []).map(({ name }) => name);
}

/** The agent id of a service's host, and the name of the service. */
export function placeOfService(db: Db, serviceId: number): { host: string; name: string } | undefined {
  return db
    .select({ host: hosts.agentId, name: names.name })
    .from(services)
    .innerJoin(hosts, eq(hosts.id, services.hostId))
    .innerJoin(names, eq(names.id, services.nameId))
    .where(eq(services.id, serviceId))
    .get();
}

/** The id of a host's present service with this name. */
export function serviceAt(db: Db, hostId: number, name: string): number | undefined {
  const ofName = and(eq(services.hostId, hostId), eq(names.name, name), isNull(services.vanishedAt));
  const rows = db.select({ id: services.id }).from(services).innerJoin(names, eq(names.id, services.nameId));
  return rows.where(ofName).get()?.id;
}

/** The name of a service, by the id of the name. */
export function nameOfId(db: Db, id: number): string | undefined {
  return db.select({ name: names.name }).from(names).where(eq(names.id, id)).get()?.name;
}
