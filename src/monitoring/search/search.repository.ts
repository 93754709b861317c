import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostGroups, hosts, names, services } from "../../platform/storage/schema.ts";
import { beginsAWord } from "../events/event-text.repository.ts";
import { inScope } from "../scope/scope.repository.ts";

export function hostsNamed(db: Db, words: readonly string[], scope: Scope, limit: number) {
  return db
    .select({ id: hosts.id, name: hosts.hostname, led: hosts.led })
    .from(hosts)
    .where(and(inScope(hosts.id, scope), ...words.map((word) => beginsAWord(hosts.hostnameKey, word))))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .limit(limit)
    .all();
}

/** Services with at least one of the words in their own name and the others there or in the host's name. */
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

export function groupsNamed(db: Db, words: readonly string[], limit: number) {
  const key = sql`lower(${hostGroups.name})`;
  return db
    .select({ id: hostGroups.id, name: hostGroups.name })
    .from(hostGroups)
    .where(and(...words.map((word) => beginsAWord(key, word))))
    .orderBy(key, asc(hostGroups.id))
    .limit(limit)
    .all();
}
