import { and, asc, count, eq, gt, inArray, max, or, sql, sum } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  agentKeys,
  type HostRow,
  hostGroupMembers,
  hostGroups,
  hosts,
} from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";
import { inScope } from "../scope/scope.repository.ts";

export type KeyRow = Omit<typeof agentKeys.$inferSelect, "hostgroups" | "tags"> & {
  hostgroups: number[];
  tags: string[];
};

export const keyRows = new NamedRows<KeyRow>(agentKeys);

const keyStatements = prepareOnce((db) => ({
  exists: db
    .select({ id: agentKeys.id })
    .from(agentKeys)
    .where(eq(agentKeys.id, sql.placeholder("id")))
    .prepare(),
  used: db
    .update(agentKeys)
    .set({ lastused: sql`${sql.placeholder("at")}` })
    .where(eq(agentKeys.id, sql.placeholder("id")))
    .prepare(),
}));

/** Whether a host is bound to a key that is still stored, even if the key has ended. */
export function isBound(db: Db, { keyId }: Pick<HostRow, "keyId">): boolean {
  return keyId !== 0 && keyStatements(db).exists.get({ id: keyId }) !== undefined;
}

/** Stores when a key was last used, unix seconds; does nothing if it was deleted. */
export function noteUse(db: Db, id: number, at: number): void {
  keyStatements(db).used.run({ id, at });
}

/** Whether a host is a member of one of these groups. */
export function isMemberOfAny(db: Db, hostId: number, groupIds: readonly number[]): boolean {
  const { groupId, hostId: host } = hostGroupMembers;
  return hasRow(db, hostGroupMembers, and(eq(host, hostId), sql`${groupId} in ${listOf(groupIds)}`));
}

/** The names of the host groups with these ids. Ids of groups that do not exist are left out. */
export function namesOfGroups(db: Db, ids: readonly number[]): Set<string> {
  const rows = db
    .select({ name: hostGroups.name })
    .from(hostGroups)
    .where(inArray(hostGroups.id, [...ids]));
  return new Set(rows.all().map(({ name }) => name));
}

/**
 * For each key and each number of its secret: how many hosts of the scope use it, how many groups of theirs were
 * ignored, and when the last message came.
 */
export function usesOfKeys(db: Db, keyIds: readonly number[], scope: Scope) {
  return db
    .select({
      keyId: hosts.keyId,
      keySecret: hosts.keySecret,
      hosts: count(),
      groupsIgnored: sum(hosts.groupsIgnored).mapWith(Number),
      lastmodified: max(hosts.lastmodified),
    })
    .from(hosts)
    .where(and(sql`${hosts.keyId} > 0`, sql`${hosts.keyId} in ${listOf(keyIds)}`, inScope(hosts.id, scope)))
    .groupBy(hosts.keyId, hosts.keySecret)
    .all();
}

function ofKey(keyId: number, scope: Scope) {
  const usesOrMoves = or(
    and(sql`${hosts.keyId} > 0`, eq(hosts.keyId, keyId)),
    and(sql`${hosts.nextKeyId} is not null`, eq(hosts.nextKeyId, keyId)),
  );
  return and(usesOrMoves, inScope(hosts.id, scope));
}

/** A page of the hosts of the scope that use a key or were moved to it, by name, and how many there are. */
export function hostsOfKey(db: Db, keyId: number, scope: Scope, limit: number, offset: number) {
  const total = countRows(db, hosts, ofKey(keyId, scope));
  const rows = db
    .select({
      id: hosts.id,
      hostname: hosts.hostname,
      lastmodified: hosts.lastmodified,
      keyId: hosts.keyId,
      nextKeyId: hosts.nextKeyId,
      keySecret: hosts.keySecret,
      groupsIgnored: hosts.groupsIgnored,
    })
    .from(hosts)
    .where(ofKey(keyId, scope))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .limit(limit)
    .offset(offset)
    .all();
  return { total, rows };
}

/** The keys that these hosts use, each once. Deleted keys are left out. */
export function keysOfHosts(db: Db, hostIds: readonly number[]): KeyRow[] {
  const used = db
    .selectDistinct({ id: hosts.keyId })
    .from(hosts)
    .where(and(sql`${hosts.id} in ${listOf(hostIds)}`, gt(hosts.keyId, 0)))
    .all();
  return used.flatMap(({ id }) => keyRows.find(db, id) ?? []);
}

/**
 * Lets a key take over hosts with their next messages. Hosts that use it already stay as they are.
 * @returns the ids of the hosts that used another credential
 */
export function letTakeOver(db: Db, keyId: number, hostIds: readonly number[]): number[] {
  const ofHosts = sql`${hosts.id} in ${listOf(hostIds)}`;
  const isOther = sql`${hosts.keyId} <> ${keyId}`;
  db.update(hosts)
    .set({ nextKeyId: null })
    .where(and(ofHosts, eq(hosts.keyId, keyId)))
    .run();
  const moved = db
    .update(hosts)
    .set({ nextKeyId: keyId })
    .where(and(ofHosts, isOther))
    .returning({ id: hosts.id })
    .all();
  return moved.map(({ id }) => id);
}
