import {
  and,
  asc,
  count,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  lte,
  notExists,
  type SQL,
  sql,
} from "drizzle-orm";
import { batchesOf } from "../../platform/batches.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { deletionBefore } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { expectedHosts, hostGroupMembers, hostGroups, hosts } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";
import { inScope } from "../scope/scope.repository.ts";

export type ExpectedRow = Omit<typeof expectedHosts.$inferSelect, "hostgroups" | "tags" | "within"> & {
  hostgroups: number[];
  tags: string[];
  within: number[];
};

/** Names in one statement. */
const NAMES_AT_ONCE = 1000;

export const expectedRows = new NamedRows<ExpectedRow>(expectedHosts, "hostname");

const statements = prepareOnce((db) => ({
  any: db.select({ id: expectedHosts.id }).from(expectedHosts).limit(1).prepare(),
  named: db
    .select()
    .from(expectedHosts)
    .where(eq(expectedHosts.hostname, sql.placeholder("hostname")))
    .prepare(),
}));

/** Whether any expected host is stored, including those that have arrived. */
export function isAnyExpected(db: Db): boolean {
  return statements(db).any.get() !== undefined;
}

/** The expected host with this name. Prepared, as it runs for every new host. */
export function expectedNamed(db: Db, hostname: string): ExpectedRow | undefined {
  return statements(db).named.get({ hostname }) as ExpectedRow | undefined;
}

/** Whether a host has the name of an expected one. Compares keys first, to use the index of host names. */
const hasSameName = and(
  eq(hosts.hostnameKey, expectedHosts.hostnameKey),
  eq(hosts.hostname, expectedHosts.hostname),
);

/** Whether a host has a name. @param groups the host must be in one of them; empty: any host */
export function isNameOfHost(db: Db, hostname: string, groups: readonly number[]): boolean {
  const isMember = exists(
    db
      .select({ hostId: hostGroupMembers.hostId })
      .from(hostGroupMembers)
      .where(
        and(eq(hostGroupMembers.hostId, hosts.id), sql`${hostGroupMembers.groupId} in ${listOf(groups)}`),
      ),
  );
  const named = and(eq(hosts.hostnameKey, sortKey(hostname)), eq(hosts.hostname, hostname));
  const row = db
    .select({ id: hosts.id })
    .from(hosts)
    .where(groups.length === 0 ? named : and(named, isMember))
    .limit(1)
    .get();
  return row !== undefined;
}

/** The ids of hosts of the scope that have the name of an expected one, by the id of the expected one. */
export function hostsOfExpected(db: Db, ids: readonly number[], scope: Scope): Map<number, number[]> {
  const rows = db
    .select({ id: expectedHosts.id, hostId: hosts.id })
    .from(expectedHosts)
    .innerJoin(hosts, hasSameName)
    .where(and(sql`${expectedHosts.id} in ${listOf(ids)}`, inScope(hosts.id, scope)))
    .orderBy(asc(hosts.id))
    .all();
  const byExpected = Map.groupBy(rows, ({ id }) => id);
  return new Map([...byExpected].map(([id, same]) => [id, same.map(({ hostId }) => hostId)]));
}

function inBatches<T, R>(values: readonly T[], read: (some: T[]) => R[]): R[] {
  return [...batchesOf(values, NAMES_AT_ONCE)].flatMap(read);
}

/** How many hosts of the scope have each of these names. */
export function hostCountsByName(db: Db, names: readonly string[], scope: Scope): Map<string, number> {
  const keys = [...new Set(names.map(sortKey))];
  const rows = inBatches(keys, (some) =>
    db
      .select({ hostname: hosts.hostname, n: count() })
      .from(hosts)
      .where(and(inArray(hosts.hostnameKey, some), inScope(hosts.id, scope)))
      .groupBy(hosts.hostname)
      .all(),
  );
  return new Map(rows.map(({ hostname, n }) => [hostname, n]));
}

/** The names among these that are expected. */
export function namesExpected(db: Db, names: readonly string[]): Set<string> {
  const rows = inBatches(names, (some) =>
    db
      .select({ hostname: expectedHosts.hostname })
      .from(expectedHosts)
      .where(and(inArray(expectedHosts.hostname, some), isNull(expectedHosts.hostId)))
      .all(),
  );
  return new Set(rows.map(({ hostname }) => hostname));
}

/** The existing host groups with these names, by name. */
export function groupIdsByName(db: Db, names: readonly string[]): Map<string, number> {
  const rows = inBatches(names, (some) =>
    db
      .select({ id: hostGroups.id, name: hostGroups.name })
      .from(hostGroups)
      .where(inArray(hostGroups.name, some))
      .all(),
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

const isWaiting = isNull(expectedHosts.hostId);

/** Number of expected hosts that have not arrived. */
export function countWaiting(db: Db): number {
  return countRows(db, expectedHosts, isWaiting);
}

/** Stores an expected host, unless one with its name is stored. @returns whether it was stored */
export function insertExpected(db: Db, row: Omit<ExpectedRow, "id">): boolean {
  const inserted = db.insert(expectedHosts).values(row).onConflictDoNothing();
  return inserted.returning({ id: expectedHosts.id }).all().length > 0;
}

/** Notes that a host got the settings. */
export function markArrived(db: Db, id: number, hostId: number, arrived: number): void {
  db.update(expectedHosts).set({ hostId, arrived }).where(eq(expectedHosts.id, id)).run();
}

/** Deletes the expected host with this name if it has arrived, so that the name can be expected again. */
export function forgetArrived(db: Db, hostname: string): void {
  db.delete(expectedHosts)
    .where(and(eq(expectedHosts.hostname, hostname), isNotNull(expectedHosts.hostId)))
    .run();
}

/** Deletes a batch of expected hosts that arrived at a time or earlier. @returns how many */
export const deleteArrived = deletionBefore(
  expectedHosts,
  lte(expectedHosts.arrived, sql.placeholder("before")),
);

/**
 * Expected hosts that were added at `before` or earlier and whose name no host has yet.
 * @param named the most names that are returned
 * @returns the number of all, and the names of those added first
 */
export function overdueExpectedHosts(
  db: Db,
  before: number,
  named: number,
): { count: number; names: string[] } {
  const sameName = db.select({ id: hosts.id }).from(hosts).where(hasSameName);
  const isOverdue: SQL | undefined = and(isWaiting, lte(expectedHosts.created, before), notExists(sameName));
  const overdue = countRows(db, expectedHosts, isOverdue);
  const rows = db
    .select({ hostname: expectedHosts.hostname })
    .from(expectedHosts)
    .where(isOverdue)
    .orderBy(asc(expectedHosts.created), asc(expectedHosts.id))
    .limit(named)
    .all();
  return { count: overdue, names: rows.map(({ hostname }) => hostname) };
}
