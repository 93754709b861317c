import { and, asc, count, eq, inArray, isNull } from "drizzle-orm";
import { isTagged } from "../../monitoring/tags/tags.repository.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostGroupMembers, hosts, names, services, statusPages } from "../../platform/storage/schema.ts";

export type StatusPage = typeof statusPages.$inferSelect;

export const statusPageRows = new NamedRows<StatusPage>(statusPages, "slug");

/** The condition that a host, joined with its memberships, is on a page. */
function isOn({ hostgroup, tags }: Pick<StatusPage, "hostgroup" | "tags">) {
  return and(eq(hostGroupMembers.groupId, hostgroup), isTagged(hosts.id, tags));
}

/** Number of a page's hosts per LED. */
export function ledsOfPage(db: Db, page: StatusPage): { led: number; n: number }[] {
  return db
    .select({ led: hosts.led, n: count() })
    .from(hosts)
    .innerJoin(hostGroupMembers, eq(hostGroupMembers.hostId, hosts.id))
    .where(isOn(page))
    .groupBy(hosts.led)
    .all();
}

/** The hosts of a page, worst first, then by name. */
export function hostsOfPage(db: Db, page: StatusPage, limit: number) {
  return db
    .select({
      id: hosts.id,
      hostname: hosts.hostname,
      led: hosts.led,
      status: hosts.status,
      servicesTotal: hosts.servicesTotal,
      servicesOk: hosts.servicesOk,
      stopped: hosts.stopped,
      heartbeat: hosts.heartbeat,
      lastmodified: hosts.lastmodified,
    })
    .from(hosts)
    .innerJoin(hostGroupMembers, eq(hostGroupMembers.hostId, hosts.id))
    .where(isOn(page))
    .orderBy(asc(hosts.led), asc(hosts.hostnameKey), asc(hosts.id))
    .limit(limit)
    .all();
}

/** The services of hosts, worst first, then by name. */
export function servicesOfHosts(db: Db, hostIds: readonly number[]) {
  return db
    .select({
      hostId: services.hostId,
      nameId: services.nameId,
      name: names.name,
      led: services.led,
      monitorState: services.monitorState,
      status: services.status,
      statusHint: services.statusHint,
      limitLevel: services.limitLevel,
    })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(inArray(services.hostId, [...hostIds]), isNull(services.vanishedAt)))
    .orderBy(asc(services.led), asc(names.nameKey), asc(services.id))
    .all();
}
