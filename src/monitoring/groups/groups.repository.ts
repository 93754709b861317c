import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { hostGroupMembers, hostGroups, hosts } from "../../platform/storage/schema.ts";
import { changeMembership, deleteCountsOfGroup } from "../events/group-counts.repository.ts";
import { inScope, ofVisibleGroup } from "../scope/scope.repository.ts";

export type Group = typeof hostGroups.$inferSelect;

/** Groups by name: those in the scope, and those with a host in it. */
export function allGroups(db: Db, scope: Scope): Group[] {
  return db
    .select()
    .from(hostGroups)
    .where(ofVisibleGroup(hostGroups.id, scope))
    .orderBy(asc(hostGroups.nameKey), asc(hostGroups.id))
    .all();
}

/** The memberships of hosts in the scope, ordered by host name. */
export function allMemberships(db: Db, scope: Scope) {
  return db
    .select({ groupId: hostGroupMembers.groupId, hostId: hostGroupMembers.hostId })
    .from(hostGroupMembers)
    .innerJoin(hosts, eq(hosts.id, hostGroupMembers.hostId))
    .where(inScope(hosts.id, scope))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .all();
}

/** The groups of a host, by name. */
export function groupsOfHost(db: Db, hostId: number) {
  return db
    .select({ id: hostGroups.id, name: hostGroups.name })
    .from(hostGroups)
    .innerJoin(hostGroupMembers, eq(hostGroupMembers.groupId, hostGroups.id))
    .where(eq(hostGroupMembers.hostId, hostId))
    .orderBy(asc(hostGroups.nameKey), asc(hostGroups.id))
    .all();
}

export function findGroup(db: Db, id: number): Group | undefined {
  return db.select().from(hostGroups).where(eq(hostGroups.id, id)).get();
}

export function findGroupByName(db: Db, name: string): Group | undefined {
  return db.select().from(hostGroups).where(eq(hostGroups.name, name)).get();
}

/** Creates a group that an administrator names. */
export function insertGroup(db: Db, name: string): number {
  return db
    .insert(hostGroups)
    .values({ name, nameKey: sortKey(name) })
    .returning({ id: hostGroups.id })
    .get().id;
}

const putStatements = prepareOnce((db) => ({
  find: db.$client.prepare<{ id: number }, [string]>("select id from host_groups where name = ?"),
  keep: db.$client.prepare<null, [number]>("update host_groups set named_by_hand = 1 where id = ?"),
  insert: db.$client.prepare<null, [string, string]>(
    "insert into host_groups (name, name_key) values (?, ?)",
  ),
}));

/**
 * Creates a group that an administrator names, or marks the one of that name: it stays when nothing needs it. Prepared, as an
 * import can have hundreds of thousands.
 * @returns whether it was created
 */
export function putGroup(db: Db, name: string): boolean {
  const { find, keep, insert } = putStatements(db);
  const existing = find.get(name);
  if (existing) keep.run(existing.id);
  else insert.run(name, sortKey(name));
  return !existing;
}

/** Renames a group, which an administrator has then named. */
export function renameGroup(db: Db, id: number, name: string): void {
  db.update(hostGroups)
    .set({ name, nameKey: sortKey(name), namedByHand: true })
    .where(eq(hostGroups.id, id))
    .run();
}

/** Deletes a group with its memberships and its counts. */
export function deleteGroup(db: Db, id: number): void {
  deleteCountsOfGroup(db, id);
  db.delete(hostGroups).where(eq(hostGroups.id, id)).run();
}

/** The hosts whose agents name the group. */
export function agentMembers(db: Db, groupId: number): number[] {
  return db
    .select({ hostId: hostGroupMembers.hostId })
    .from(hostGroupMembers)
    .where(and(eq(hostGroupMembers.groupId, groupId), eq(hostGroupMembers.byAgent, true)))
    .all()
    .map((row) => row.hostId);
}

function member(groupId: number, hostId: number) {
  return and(eq(hostGroupMembers.groupId, groupId), eq(hostGroupMembers.hostId, hostId));
}

/** Adds a membership set by an administrator. @returns whether the host was not a member before */
export function joinByHand(db: Db, groupId: number, hostId: number): boolean {
  const joined = db
    .insert(hostGroupMembers)
    .values({ groupId, hostId, byHand: true })
    .onConflictDoNothing()
    .returning({ hostId: hostGroupMembers.hostId })
    .all();
  if (joined.length > 0) changeMembership(db, hostId, groupId, 1);
  else db.update(hostGroupMembers).set({ byHand: true }).where(member(groupId, hostId)).run();
  return joined.length > 0;
}

/**
 * Removes a membership set by an administrator. A host whose agent names the group stays a member.
 * @returns whether the host is no longer a member
 */
export function leaveByHand(db: Db, groupId: number, hostId: number): boolean {
  db.update(hostGroupMembers).set({ byHand: false }).where(member(groupId, hostId)).run();
  const left = db
    .delete(hostGroupMembers)
    .where(and(member(groupId, hostId), eq(hostGroupMembers.byAgent, false)))
    .returning({ hostId: hostGroupMembers.hostId })
    .all();
  if (left.length > 0) changeMembership(db, hostId, groupId, -1);
  return left.length > 0;
}

/** The ids among these that belong to existing groups of the scope. */
export function existingGroups(db: Db, ids: readonly number[], scope: Scope): Set<number> {
  const wanted = scope === "all" ? [...ids] : ids.filter((id) => scope.groups.includes(id));
  const rows = db.select({ id: hostGroups.id }).from(hostGroups).where(inArray(hostGroups.id, wanted)).all();
  return new Set(rows.map((row) => row.id));
}

const groupIdsOfHost = prepareOnce((db) =>
  db
    .select({ id: hostGroupMembers.groupId })
    .from(hostGroupMembers)
    .where(eq(hostGroupMembers.hostId, sql.placeholder("hostId")))
    .prepare(),
);

/** The ids of the groups of a host. Prepared, as it runs for every event. */
export function hostGroupIdsOf(db: Db, hostId: number): number[] {
  return groupIdsOfHost(db)
    .all({ hostId })
    .map(({ id }) => id);
}
