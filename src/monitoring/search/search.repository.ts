import { and, asc, eq, isNull, or } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostGroupMembers, hostGroups, hosts, names, services } from "../../platform/storage/schema.ts";
import { hasPart } from "../events/event-text.repository.ts";
import { inScope, ofVisibleGroup } from "../scope/scope.repository.ts";

/** Hosts of the scope whose names have each of the parts; sorted by name. */
export function hostsNamed(db: Db, parts: readonly string[], scope: Scope, limit: number) {
  return db
    .select({ id: hosts.id, name: hosts.hostname, led: hosts.led })
    .from(hosts)
    .where(and(inScope(hosts.id, scope), ...parts.map((part) => hasPart(hosts.hostnameKey, part))))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .limit(limit)
    .all();
}

/** Services whose own name has at least one of the parts, and whose own or host's name has the others. */
export function servicesNamed(db: Db, parts: readonly string[], scope: Scope, limit: number) {
  const ofService = parts.map((part) => hasPart(names.nameKey, part));
  const ofEither = parts.map((part) => or(hasPart(names.nameKey, part), hasPart(hosts.hostnameKey, part)));
  return db
    .select({
      id: services.id,
      name: names.name,
      hostid: services.hostId,
      hostname: hosts.hostname,
      led: services.led,
    })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .innerJoin(hosts, eq(hosts.id, services.hostId))
    .where(and(inScope(hosts.id, scope), isNull(services.vanishedAt), or(...ofService), ...ofEither))
    .orderBy(asc(names.nameKey), asc(hosts.hostnameKey), asc(services.id))
    .limit(limit)
    .all();
}

/** Ids of hosts with a service or a host group whose name has each of the parts. */
export function hostsWithNames(db: Db, parts: readonly string[], scope: Scope, limit: number): number[] {
  const ofServices = db
    .selectDistinct({ id: services.hostId })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(
      and(
        inScope(services.hostId, scope),
        isNull(services.vanishedAt),
        ...parts.map((part) => hasPart(names.nameKey, part)),
      ),
    )
    .limit(limit)
    .all();
  const ofGroups = db
    .selectDistinct({ id: hostGroupMembers.hostId })
    .from(hostGroupMembers)
    .innerJoin(hostGroups, eq(hostGroups.id, hostGroupMembers.groupId))
    .where(
      and(inScope(hostGroupMembers.hostId, scope), ...parts.map((part) => hasPart(hostGroups.nameKey, part))),
    )
    .limit(limit)
    .all();
  return [...new Set([...ofServices, ...ofGroups].map(({ id }) => id))];
}

/** Groups in the scope, or with a host in it, whose names have each of the parts; sorted by name. */
export function groupsNamed(db: Db, parts: readonly string[], scope: Scope, limit: number) {
  return db
    .select({ id: hostGroups.id, name: hostGroups.name })
    .from(hostGroups)
    .where(
      and(ofVisibleGroup(hostGroups.id, scope), ...parts.map((part) => hasPart(hostGroups.nameKey, part))),
    )
    .orderBy(asc(hostGroups.nameKey), asc(hostGroups.id))
    .limit(limit)
    .all();
}
