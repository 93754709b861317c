import { and, asc, between, eq, inArray, isNull, sql } from "drizzle-orm";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import { isTagged } from "../../monitoring/tags/tags.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  hostGroupMembers,
  hostGroups,
  hosts,
  names,
  services,
  statistics,
} from "../../platform/storage/schema.ts";
import type { FleetFilter } from "./fleet-metrics.schemas.ts";

/** The selection of a caller, among the hosts that they see. */
export interface FleetSelection extends FleetFilter {
  scope: Scope;
}

/** Position of a host in the list: the sort key of its name, then its id. */
export interface Position {
  hostnameKey: string;
  id: number;
}

function inGroups(db: Db, groups: string[]) {
  const members = db
    .select({ hostId: hostGroupMembers.hostId })
    .from(hostGroupMembers)
    .innerJoin(hostGroups, eq(hostGroups.id, hostGroupMembers.groupId))
    .where(inArray(hostGroups.name, groups));
  return inArray(hosts.id, members);
}

/** The next hosts of a selection after a position, by name and id. */
export function nextHosts(
  db: Db,
  { host, hostgroup, tag, scope }: FleetSelection,
  after: Position | null,
  limit: number,
) {
  return db
    .select({
      id: hosts.id,
      hostname: hosts.hostname,
      hostnameKey: hosts.hostnameKey,
      led: hosts.led,
      status: hosts.status,
      heartbeat: hosts.heartbeat,
      stopped: hosts.stopped,
      lastmodified: hosts.lastmodified,
      agentVersion: hosts.agentVersion,
      platformName: hosts.platformName,
      platformRelease: hosts.platformRelease,
      platformMachine: hosts.platformMachine,
    })
    .from(hosts)
    .where(
      and(
        inScope(hosts.id, scope),
        // The index has sort keys, which names that differ only in case share.
        host && and(inArray(hosts.hostnameKey, host.map(sortKey)), inArray(hosts.hostname, host)),
        hostgroup && inGroups(db, hostgroup),
        tag && isTagged(hosts.id, tag),
        after ? sql`(${hosts.hostnameKey}, ${hosts.id}) > (${after.hostnameKey}, ${after.id})` : undefined,
      ),
    )
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .limit(limit)
    .all();
}

export type FleetHost = ReturnType<typeof nextHosts>[number];

const servicesStatement = prepareOnce((db) =>
  db
    .select({
      id: services.id,
      nameId: services.nameId,
      name: names.name,
      type: services.type,
      led: services.led,
      monitorState: services.monitorState,
    })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(eq(services.hostId, sql.placeholder("hostId")), isNull(services.vanishedAt)))
    .orderBy(asc(names.nameKey), asc(services.id))
    .prepare(),
);

/** The services that the host's agent currently lists, by name. */
export function servicesOfHost(db: Db, hostId: number) {
  return servicesStatement(db).all({ hostId });
}

export type FleetService = ReturnType<typeof servicesOfHost>[number];

const statisticsStatement = prepareOnce((db) =>
  db
    .select({ id: statistics.id, type: statistics.type, descriptor: statistics.descriptor })
    .from(statistics)
    .where(
      and(
        eq(statistics.serviceId, sql.placeholder("serviceId")),
        between(statistics.type, sql.placeholder("from"), sql.placeholder("to")),
      ),
    )
    .orderBy(asc(statistics.type), asc(statistics.descriptor))
    .prepare(),
);

/** A range of statistic type codes, both ends included. */
export interface TypeRange {
  from: number;
  to: number;
}

/** Latest statistics of a service within a range of types, as raw rows, because there are very many. */
export function statisticsOfService(
  db: Db,
  serviceId: number,
  types: TypeRange,
): [id: number, type: number, descriptor: string][] {
  return statisticsStatement(db).values({ serviceId, ...types }) as [number, number, string][];
}
