import { and, asc, eq, type Placeholder, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { existingIds } from "../../platform/storage/existing.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordChange, recordRevision } from "../../platform/storage/revisions.repository.ts";
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

/** A group by what administrators set. */
export type GroupSettings = Pick<Group, "name" | "target">;

/** The settings of all groups, in order. There may be hundreds of thousands, so only these columns are read. */
export function groupSettings(db: Db): GroupSettings[] {
  const { id, name, nameKey, target } = hostGroups;
  const rows = db.select({ name, target }).from(hostGroups).orderBy(asc(nameKey), asc(id)).values();
  return (rows as [string, number | null][]).map(([text, percent]) => ({ name: text, target: percent }));
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

const groupsStatement = prepareOnce((db) =>
  db
    .select({ id: hostGroups.id, name: hostGroups.name })
    .from(hostGroups)
    .innerJoin(hostGroupMembers, eq(hostGroupMembers.groupId, hostGroups.id))
    .where(eq(hostGroupMembers.hostId, sql.placeholder("hostId")))
    .orderBy(asc(hostGroups.nameKey), asc(hostGroups.id))
    .prepare(),
);

/** The groups of a host, by name. Prepared, as metrics ask for those of every host. */
export function groupsOfHost(db: Db, hostId: number): Pick<Group, "id" | "name">[] {
  return groupsStatement(db).all({ hostId });
}

/** Groups looked up since `lookupsFromNow`. Every new reference to a group looks it up first. */
const lookedUp = new WeakMap<Db, Set<number>>();

/** The groups that are looked up from now until the next call. */
export function lookupsFromNow(db: Db): ReadonlySet<number> {
  const ids = new Set<number>();
  lookedUp.set(db, ids);
  return ids;
}

function noted(db: Db, group: Group | undefined): Group | undefined {
  if (group) lookedUp.get(db)?.add(group.id);
  return group;
}

/** The host group with this id, or undefined, regardless of rights. It counts as looked up (`lookupsFromNow`). */
export function findGroup(db: Db, id: number): Group | undefined {
  return noted(db, db.select().from(hostGroups).where(eq(hostGroups.id, id)).get());
}

/** A group that a caller sees. */
export function findVisibleGroup(db: Db, id: number, scope: Scope): Group | undefined {
  return db
    .select()
    .from(hostGroups)
    .where(and(eq(hostGroups.id, id), ofVisibleGroup(hostGroups.id, scope)))
    .get();
}

/**
 * The host group with exactly this name, or undefined. It counts as looked up (`lookupsFromNow`).
 */
export function findGroupByName(db: Db, name: string): Group | undefined {
  return noted(db, db.select().from(hostGroups).where(eq(hostGroups.name, name)).get());
}

/** Creates a group that an administrator names. @param at unix seconds */
export function insertGroup(db: Db, name: string, at: number): number {
  const { id } = db
    .insert(hostGroups)
    .values({ name, nameKey: sortKey(name) })
    .returning({ id: hostGroups.id })
    .get();
  recordRevision(db, { ...ofGroup(id, at), content: null });
  return id;
}

/**
 * The revision of a group. A group that only agents have named has none: it exists only while it has members, and the
 * revisions of their memberships contain its name.
 * @param until unix seconds
 */
function ofGroup(id: number, until: number) {
  return { kind: "host_groups", hostId: null, objectId: id, until } as const;
}

/** The revision of the membership of a host. @param until unix seconds */
export function ofMember(groupId: number, hostId: number, until: number) {
  return { kind: "host_group_members", hostId, objectId: groupId, until } as const;
}

const putStatements = prepareOnce((db) => ({
  find: db.$client.prepare<{ id: number; target: number | null; namedByHand: number }, [string]>(
    `select id, target, case when named_by_hand then 1 else 0 end as "namedByHand" from host_groups where name = ?`,
  ),
  keep: db.$client.prepare<null, [number | null, number]>(
    "update host_groups set named_by_hand = true, target = ? where id = ?",
  ),
  insert: db.$client.prepare<{ id: number }, [string, string, number | null]>(
    "insert into host_groups (name, name_key, target) values (?, ?, ?) returning id",
  ),
}));

/**
 * Creates a group named by an administrator, or marks an existing one as such, so that it is kept when unused, and
 * sets its target. Prepared, since an import can have hundreds of thousands.
 * @param at unix seconds
 * @returns whether it was created
 */
export function putGroup(db: Db, { name, target }: GroupSettings, at: number): boolean {
  const { find, keep, insert } = putStatements(db);
  const existing = find.get(name);
  if (existing) {
    const before = { target: existing.target, namedByHand: existing.namedByHand === 1 };
    recordChange(db, ofGroup(existing.id, at), before, { target, namedByHand: true });
    keep.run(target, existing.id);
    return false;
  }
  const created = insert.get(name, sortKey(name), target);
  if (created) recordRevision(db, { ...ofGroup(created.id, at), content: null });
  return true;
}

/** Groups that administrators have named. */
export function groupsNamedByHand(db: Db): GroupSettings[] {
  const { name, target, namedByHand } = hostGroups;
  return db.select({ name, target }).from(hostGroups).where(eq(namedByHand, true)).all();
}

function changeGroup(db: Db, group: Group, changes: Partial<Group>, at: number): void {
  const columns = { ...changes, namedByHand: true };
  recordChange(db, ofGroup(group.id, at), group, columns);
  db.update(hostGroups).set(columns).where(eq(hostGroups.id, group.id)).run();
}

/**
 * Sets the target of a group and marks it as named by an administrator.
 * @param target percent; null: none
 * @param at unix seconds
 */
export function setGroupTarget(db: Db, group: Group, target: number | null, at: number): void {
  changeGroup(db, group, { target }, at);
}

/** Renames a group and marks it as named by an administrator. @param at unix seconds */
export function renameGroup(db: Db, group: Group, name: string, at: number): void {
  changeGroup(db, group, { name, nameKey: sortKey(name) }, at);
}

const recordMembers = prepareOnce((db) =>
  db.$client.prepare<null, [number, string, number]>(
    `insert into revisions (kind, host_id, object_id, until, content)
     select 'host_group_members', host_id, group_id, ?, '{"byHand":' || case when by_hand then 'true' else 'false' end
       || ',"byAgent":' || case when by_agent then 'true' else 'false' end || ',"name":' || ? || '}'
     from host_group_members where group_id = ?`,
  ),
);

/** Deletes a group with its memberships and its counts. @param at unix seconds */
export function deleteGroup(db: Db, id: number, at: number): void {
  const group = findGroup(db, id);
  if (group?.namedByHand) recordRevision(db, { ...ofGroup(id, at), content: group });
  if (group) recordMembers(db).run(at, JSON.stringify(group.name), id);
  deleteCountsOfGroup(db, id);
  db.delete(hostGroups).where(eq(hostGroups.id, id)).run();
}

function member(groupId: number | Placeholder, hostId: number | Placeholder) {
  return and(eq(hostGroupMembers.groupId, groupId), eq(hostGroupMembers.hostId, hostId));
}

const membershipStatement = prepareOnce((db) =>
  db
    .select({ byHand: hostGroupMembers.byHand, byAgent: hostGroupMembers.byAgent, name: hostGroups.name })
    .from(hostGroupMembers)
    .innerJoin(hostGroups, eq(hostGroups.id, hostGroupMembers.groupId))
    .where(member(sql.placeholder("groupId"), sql.placeholder("hostId")))
    .prepare(),
);

/** The membership of a host, with the name of the group; undefined if it is no member. */
function membership(db: Db, groupId: number, hostId: number) {
  return membershipStatement(db).get({ groupId, hostId });
}

const memberStatements = prepareOnce((db) => {
  const placeholders = { groupId: sql.placeholder("groupId"), hostId: sql.placeholder("hostId") };
  const isMember = member(placeholders.groupId, placeholders.hostId);
  return {
    insert: db
      .insert(hostGroupMembers)
      .values({ ...placeholders, byHand: true })
      .prepare(),
    setByHand: db
      .update(hostGroupMembers)
      .set({ byHand: sql`${sql.placeholder("byHand")}` })
      .where(isMember)
      .prepare(),
    remove: db.delete(hostGroupMembers).where(isMember).prepare(),
  };
});

/**
 * Adds a membership set by an administrator.
 * @param at unix seconds
 * @returns whether the host was not a member before
 */
export function joinByHand(db: Db, groupId: number, hostId: number, at: number): boolean {
  const before = membership(db, groupId, hostId);
  if (before?.byHand) return false;
  recordRevision(db, { ...ofMember(groupId, hostId, at), content: before ?? null });
  const { insert, setByHand } = memberStatements(db);
  if (before) setByHand.run({ groupId, hostId, byHand: true });
  else {
    insert.run({ groupId, hostId });
    changeMembership(db, hostId, groupId, 1);
  }
  return !before;
}

/**
 * Removes a membership set by an administrator. A host whose agent names the group stays a member.
 * @param at unix seconds
 * @returns whether the host is no longer a member
 */
export function leaveByHand(db: Db, groupId: number, hostId: number, at: number): boolean {
  const before = membership(db, groupId, hostId);
  if (!before?.byHand) return false;
  recordRevision(db, { ...ofMember(groupId, hostId, at), content: before });
  const { remove, setByHand } = memberStatements(db);
  if (before.byAgent) setByHand.run({ groupId, hostId, byHand: false });
  else {
    remove.run({ groupId, hostId });
    changeMembership(db, hostId, groupId, -1);
  }
  return !before.byAgent;
}

/** The ids among these that belong to existing groups of the scope. */
export function existingGroups(db: Db, ids: readonly number[], scope: Scope): Set<number> {
  const visibleIds = scope === "all" ? [...ids] : ids.filter((id) => scope.groups.includes(id));
  const existing = existingIds(db, hostGroups, visibleIds);
  for (const id of existing) lookedUp.get(db)?.add(id);
  return existing;
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
