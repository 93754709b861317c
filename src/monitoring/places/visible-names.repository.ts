/** The names that a scope sees. */
import { and, eq, inArray } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { existingIds, hasRow } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hosts, names, serviceGroups, services, statistics } from "../../platform/storage/schema.ts";
import { inScope } from "../scope/scope.repository.ts";

/** The names of hosts. */
export function hostNames(db: Db, scope: Scope): string[] {
  const rows = db.select({ name: hosts.hostname }).from(hosts).where(inScope(hosts.id, scope)).all();
  return rows.map(({ name }) => name);
}

/** The texts about the state of hosts, without duplicates. */
export function hostStates(db: Db, scope: Scope): string[] {
  const rows = db
    .selectDistinct({ text: hosts.statusText })
    .from(hosts)
    .where(inScope(hosts.id, scope))
    .all();
  return rows.map(({ text }) => text);
}

/** The names of services, including vanished ones, without duplicates. */
export function serviceNames(db: Db, scope: Scope): string[] {
  const rows = db
    .selectDistinct({ name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(inScope(services.hostId, scope))
    .all();
  return rows.map(({ name }) => name);
}

/** Whether a service has a statistic of these types with this descriptor. */
export function hasStatistic(db: Db, types: readonly number[], descriptor: string, scope: Scope): boolean {
  const row = db
    .select({ id: statistics.id })
    .from(statistics)
    .innerJoin(services, eq(services.id, statistics.serviceId))
    .where(
      and(
        inArray(statistics.type, [...types]),
        eq(statistics.descriptor, descriptor),
        inScope(services.hostId, scope),
      ),
    )
    .limit(1);
  return row.get() !== undefined;
}

/** Whether a service has the name with this id. */
export function hasServiceNameId(db: Db, nameId: number, scope: Scope): boolean {
  const ofName = and(eq(services.nameId, nameId), inScope(services.hostId, scope));
  return hasRow(db, services, ofName);
}

/** Whether the service group with this id exists, and its host is in the scope. */
export function isServiceGroupInScope(db: Db, id: number, scope: Scope): boolean {
  const ofId = and(eq(serviceGroups.id, id), inScope(serviceGroups.hostId, scope));
  return hasRow(db, serviceGroups, ofId);
}

/** The ids among these that belong to services of the scope. */
export function existingServices(db: Db, ids: readonly number[], scope: Scope): Set<number> {
  return existingIds(db, services, ids, inScope(services.hostId, scope));
}
