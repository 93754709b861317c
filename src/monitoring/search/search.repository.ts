import { and, asc, eq, isNull, or } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostGroupMembers, hostGroups, hosts, names, services } from "../../platform/storage/schema.ts";
import { beginsAWord } from "../events/event-text.repository.ts";
import { inScope, ofVisibleGroup } from "../scope/scope.repository.ts";

/** Hosts of the scope whose names have, for each of the words, a word that begins with it; sorted by name. */
export function hostsNamed(db: Db, words: readonly string[], scope: Scope, limit: number) {
  return db
    .select({ id: hosts.id, name: hosts.hostname, led: hosts.led })
    .from(hosts)
    .where(and(inScope(hosts.id, scope), ...words.map((word) => beginsAWord(hosts.hostnameKey, word))))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .limit(limit)
    .all();
}

/** Services whose own name has at least one of the words, and whose own or host's name has the others. */
export function servicesNamed(db: Db, words: readonly string[], scope: Scope, limit: number) {
  const ofService = words.map((word) => beginsAWord(names.nameKey, word));
  const ofEither = words.map((word) =>
    or(beginsAWord(names.nameKey, word), beginsAWord(hosts.hostnameKey, word)),
  );
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

/** Ids of hosts with a service or a host group in whose name each of the words begins a word. */
export function hostsWithNames(db: Db, words: readonly string[], scope: Scope, limit: number): number[] {
  const ofServices = db
    .selectDistinct({ id: services.hostId })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(
      and(
        inScope(services.hostId, scope),
        isNull(services.vanishedAt),
        ...words.map((word) => beginsAWord(names.nameKey, word)),
      ),
    )
    .limit(limit)
    .all();
  const ofGroups = db
    .selectDistinct({ id: hostGroupMembers.hostId })
    .from(hostGroupMembers)
    .innerJoin(hostGroups, eq(hostGroups.id, hostGroupMembers.groupId))
    .where(
      and(
        inScope(hostGroupMembers.hostId, scope),
        ...words.map((word) => beginsAWord(hostGroups.nameKey, word)),
      ),
    )
    .limit(limit)
    .all();
  return [...new Set([...ofServices, ...ofGroups].map(({ id }) => id))];
}

/** Groups in the scope, or with a host in it, whose names have each of the words; sorted by name. */
export function groupsNamed(db: Db, words: readonly string[], scope: Scope, limit: number) {
  return db
    .select({ id: hostGroups.id, name: hostGroups.name })
    .from(hostGroups)
    .where(
      and(
        ofVisibleGroup(hostGroups.id, scope),
        ...words.map((word) => beginsAWord(hostGroups.nameKey, word)),
      ),
    )
    .orderBy(asc(hostGroups.nameKey), asc(hostGroups.id))
    .limit(limit)
    .all();
}
