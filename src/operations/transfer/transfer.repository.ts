import { asc, eq, inArray, ne } from "drizzle-orm";
import { SECRET_SETTINGS } from "../../platform/settings/settings.definitions.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  agentKeys,
  channels,
  type HostRow,
  hostGroupMembers,
  hostGroups,
  hosts,
  settings,
  users,
} from "../../platform/storage/schema.ts";

/** Every host, in order of name. */
export function hostsToExport(db: Db): HostRow[] {
  return db.select().from(hosts).orderBy(asc(hosts.hostnameKey), asc(hosts.agentId)).all();
}

/** The names of the groups to which hosts were added by hand, by host id. */
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

/**
 * The sealed texts of channels and of settings. It includes settings that no file contains, since all are opened when
 * they are loaded.
 * @param withPasswords whether to include the passwords of users and agents
 */
export function sealedTexts(db: Db, withPasswords: boolean): string[] {
  const isSecret = inArray(settings.key, [...SECRET_SETTINGS]);
  const rows = [
    ...db.select({ sealed: channels.settings }).from(channels).all(),
    ...db.select({ sealed: settings.value }).from(settings).where(isSecret).all(),
  ];
  if (withPasswords)
    rows.push(
      ...db.select({ sealed: agentKeys.secret }).from(agentKeys).all(),
      ...db.select({ sealed: users.passwordMd5 }).from(users).where(eq(users.origin, "local")).all(),
      // An import compares with those that agents reported, too.
      ...db.select({ sealed: hosts.agentpassword }).from(hosts).where(ne(hosts.agentpassword, "")).all(),
    );
  return rows.flatMap(({ sealed }) => sealed || []);
}
