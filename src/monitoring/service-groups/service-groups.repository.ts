import { and, asc, eq, isNull } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { serviceGroupMembers, serviceGroups, services } from "../../platform/storage/schema.ts";

export function allServiceGroups(db: Db) {
  const rows = db
    .select({ id: serviceGroups.id, name: serviceGroups.name, hostid: serviceGroups.hostId })
    .from(serviceGroups)
    .orderBy(asc(serviceGroups.id))
    .all();
  return inNameOrder(rows, ({ name }) => name);
}

/** Every membership of a present service in a service group. */
export function allServiceMemberships(db: Db) {
  return db
    .select({ groupId: serviceGroupMembers.groupId, serviceId: serviceGroupMembers.serviceId })
    .from(serviceGroupMembers)
    .innerJoin(services, and(eq(services.id, serviceGroupMembers.serviceId), isNull(services.vanishedAt)))
    .orderBy(asc(serviceGroupMembers.serviceId))
    .all();
}
