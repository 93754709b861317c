import { asc, eq, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { hostGroupMembers, hostGroups, hosts } from "../../platform/storage/schema.ts";

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

export function findHostOfAgent(db: Db, agentId: string) {
  return hostByAgent(db).get({ agentId });
}

const hostByAgent = prepareOnce((db) =>
  db
    .select({ id: hosts.id, status: hosts.status, incarnation: hosts.incarnation })
    .from(hosts)
    .where(eq(hosts.agentId, sql.placeholder("agentId")))
    .prepare(),
);
