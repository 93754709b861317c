import { and, asc, eq, isNull } from "drizzle-orm";
import type { Db } from "../database/open.ts";
import { serviceGroupMembers, serviceGroups, services } from "../database/schema.ts";
import { inNameOrder } from "../sort-key.ts";

export function allServiceGroups(db: Db) {
  const rows = db
    .select({ id: serviceGroups.id, name: serviceGroups.name, hostid: serviceGroups.hostId })
    .from(serviceGroups)
    .orderBy(asc(serviceGroups.id))
    .all();
  return inNameOrder(rows, ({ name }) => name);
}

/** Which services, of those that their agents list now, are in which service group. */
export function allServiceMemberships(db: Db) {
  return db
    .select({ groupId: serviceGroupMembers.groupId, serviceId: serviceGroupMembers.serviceId })
    .from(serviceGroupMembers)
    .innerJoin(services, and(eq(services.id, serviceGroupMembers.serviceId), isNull(services.vanishedAt)))
    .orderBy(asc(serviceGroupMembers.serviceId))
    .all();
}
