/** What people acknowledged or ignored before a time, if that is still in effect. */
import { and, asc, count, eq, gt, isNull, lte, or, sql } from "drizzle-orm";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { acknowledgements, events, excludedIntervals, hosts, names } from "../../platform/storage/schema.ts";
import type { Forgotten } from "./forgotten.schemas.ts";

/** The oldest of a kind, and how many there are. */
export interface Oldest {
  total: number;
  records: Forgotten[];
}

/** Hosts that are in both scopes. */
export type HostScopes = readonly [Scope, Scope];

function inBoth([a, b]: HostScopes) {
  return and(inScope(hosts.id, a), inScope(hosts.id, b));
}

/**
 * Acknowledgements in effect that were made by a time. There are at most as many as open failures.
 * @param before unix seconds
 */
export function oldAcknowledgements(
  db: Db,
  scopes: HostScopes,
  before: number,
  now: number,
  limit: number,
): Oldest {
  const { createdAt, endedAt, until, uname, note, eventId } = acknowledgements;
  const isOld = and(
    isNull(endedAt),
    or(isNull(until), gt(until, now)),
    lte(createdAt, before),
    inBoth(scopes),
  );
  const total = db
    .select({ n: count() })
    .from(acknowledgements)
    .innerJoin(events, eq(events.id, eventId))
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .where(isOld)
    .get()?.n;
  const rows = db
    .select({ id: eventId, service: names.name, host: hosts.hostname, since: createdAt, uname, note })
    .from(acknowledgements)
    .innerJoin(events, eq(events.id, eventId))
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(isOld)
    .orderBy(asc(createdAt), asc(eventId))
    .limit(limit)
    .all();
  return {
    total: total ?? 0,
    records: rows.map(({ service, host, ...row }) => ({
      kind: "acknowledgement",
      ...row,
      name: `${service} on ${host}`,
    })),
  };
}

/** Hosts that have been ignored since a time or longer. @param before unix seconds */
export function longIgnoredHosts(db: Db, scopes: HostScopes, before: number, limit: number): Oldest {
  const { hostId, serviceId, reason, startedAt, endedAt } = excludedIntervals;
  const isOld = and(
    isNull(endedAt),
    isNull(serviceId),
    eq(reason, "ignored"),
    lte(startedAt, before),
    eq(hosts.status, HOST_STATUS.ignored),
    inBoth(scopes),
  );
  const total = db
    .select({ n: count() })
    .from(excludedIntervals)
    .innerJoin(hosts, eq(hosts.id, hostId))
    .where(isOld)
    .get()?.n;
  const records = db
    .select({
      kind: sql<"host">`'host'`,
      id: hosts.id,
      name: hosts.hostname,
      since: startedAt,
      uname: sql<string>`''`,
      note: sql<string>`''`,
    })
    .from(excludedIntervals)
    .innerJoin(hosts, eq(hosts.id, hostId))
    .where(isOld)
    .orderBy(asc(startedAt), asc(hosts.id))
    .limit(limit)
    .all();
  return { total: total ?? 0, records };
}
