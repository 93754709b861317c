import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { inNameOrder } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { serviceGroupMembers, serviceGroups, services } from "../../platform/storage/schema.ts";
import { inScope } from "../scope/scope.repository.ts";

/** The service groups of the hosts of the scope, sorted by name. Hosts may have groups of the same name. */
export function allServiceGroups(db: Db, scope: Scope) {
  const rows = db
    .select({ id: serviceGroups.id, name: serviceGroups.name, hostid: serviceGroups.hostId })
    .from(serviceGroups)
    .where(inScope(serviceGroups.hostId, scope))
    .orderBy(asc(serviceGroups.id))
    .all();
  return inNameOrder(rows, ({ name }) => name);
}

/** The memberships of present services in service groups. */
export function allServiceMemberships(db: Db, scope: Scope) {
  return db
    .select({ groupId: serviceGroupMembers.groupId, serviceId: serviceGroupMembers.serviceId })
    .from(serviceGroupMembers)
    .innerJoin(services, and(eq(services.id, serviceGroupMembers.serviceId), isNull(services.vanishedAt)))
    .where(inScope(services.hostId, scope))
    .orderBy(asc(serviceGroupMembers.serviceId))
    .all();
}

const groupsOfService = prepareOnce((db) =>
  db
    .select({ name: serviceGroups.name })
    .from(services)
    .innerJoin(serviceGroupMembers, eq(serviceGroupMembers.serviceId, services.id))
    .innerJoin(serviceGroups, eq(serviceGroups.id, serviceGroupMembers.groupId))
    .where(
      and(eq(services.hostId, sql.placeholder("hostId")), eq(services.nameId, sql.placeholder("nameId"))),
    )
    .prepare(),
);

/** Names of the service groups of a service. */
export function serviceGroupsOf(db: Db, hostId: number, nameId: number): string[] {
  return groupsOfService(db)
    .all({ hostId, nameId })
    .map(({ name }) => name);
}
