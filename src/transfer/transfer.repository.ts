import { asc, eq, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../database/open.ts";
import { channels, hostGroupMembers, hostGroups, hosts, users } from "../database/schema.ts";
import { errors } from "../http/errors.ts";
import { quoted } from "./section.ts";

/** Every host with what administrators set about it. */
export function hostsToGive(db: Db) {
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
    .orderBy(asc(hosts.hostname), asc(hosts.agentId))
    .all();
}

/** The names of the groups that hosts were put into by hand, by host id. */
export function groupsByHand(db: Db): (hostId: number) => string[] {
  const rows = db
    .select({ hostId: hostGroupMembers.hostId, name: hostGroups.name })
    .from(hostGroupMembers)
    .innerJoin(hostGroups, eq(hostGroups.id, hostGroupMembers.groupId))
    .where(eq(hostGroupMembers.byHand, true))
    .orderBy(asc(hostGroups.name))
    .all();
  const names = Map.groupBy(rows, ({ hostId }) => hostId);
  return (hostId) => (names.get(hostId) ?? []).map(({ name }) => name);
}

/** @returns its id */
export function insertWaitingHost(db: Db, row: typeof hosts.$inferInsert): number {
  return db.insert(hosts).values(row).returning({ id: hosts.id }).get().id;
}

/** Users who sign in with a password. */
export function usersToGive(db: Db) {
  return db
    .select({
      uname: users.uname,
      fullname: users.fullname,
      title: users.title,
      email: users.email,
      phone: users.phone,
      mobile: users.mobile,
      imname: users.imname,
      imtype: users.imtype,
      admin: users.admin,
      passwordMd5: users.passwordMd5,
    })
    .from(users)
    .where(eq(users.origin, "local"))
    .orderBy(asc(users.uname))
    .all();
}

export function channelsToGive(db: Db) {
  return db.select().from(channels).orderBy(asc(channels.name)).all();
}

export function nameOfChannel(db: Db, id: number): string {
  return db.select({ name: channels.name }).from(channels).where(eq(channels.id, id)).get()?.name ?? "";
}

/** The host of an agent; undefined when it is not known. */
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

export function agentOfHost(db: Db, id: number): string | undefined {
  return db.select({ agentId: hosts.agentId }).from(hosts).where(eq(hosts.id, id)).get()?.agentId;
}

export function nameOfGroup(db: Db, id: number): string | undefined {
  return db.select({ name: hostGroups.name }).from(hostGroups).where(eq(hostGroups.id, id)).get()?.name;
}

/** @throws ApiError when there is no such group */
export function idOfGroup(db: Db, name: string): number {
  const group = db.select({ id: hostGroups.id }).from(hostGroups).where(eq(hostGroups.name, name)).get();
  if (!group) throw errors.badRequest(`There is no host group ${quoted(name)}`);
  return group.id;
}
