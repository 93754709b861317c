/** Reads whether the hosts of a mute have recovered. */
import { and, eq, gte, inArray, isNull, lte } from "drizzle-orm";
import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import type { Place, PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { isTagged, tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { downtimeIntervals, hostGroupMembers, hosts, names } from "../../platform/storage/schema.ts";

/** Whether every active host that the filter selects reported after a time, unix seconds. */
export function reportedSince(db: Db, filter: PlaceFilter, at: number): boolean {
  const members = db
    .select({ id: hostGroupMembers.hostId })
    .from(hostGroupMembers)
    .where(inArray(hostGroupMembers.groupId, filter.hostgroups ?? []));
  const late = db
    .select({ id: hosts.id })
    .from(hosts)
    .where(
      and(
        eq(hosts.status, HOST_STATUS.active),
        lte(hosts.lastmodified, at),
        filter.hosts && inArray(hosts.id, filter.hosts),
        filter.hostgroups && inArray(hosts.id, members),
        filter.tags && isTagged(hosts.id, filter.tags, true),
      ),
    )
    .limit(1)
    .get();
  return late === undefined;
}

/** The places of the open failures that began at a time, unix seconds, or later. */
export function failuresSince(db: Db, at: number): Place[] {
  const rows = db
    .select({ hostId: downtimeIntervals.hostId, serviceName: names.name })
    .from(downtimeIntervals)
    .innerJoin(names, eq(names.id, downtimeIntervals.nameId))
    .where(and(isNull(downtimeIntervals.endedAt), gte(downtimeIntervals.startedAt, at)))
    .all();
  return rows.map((row) => ({
    ...row,
    hostGroupIds: hostGroupIdsOf(db, row.hostId),
    tags: tagsOf(db, row.hostId),
  }));
}
