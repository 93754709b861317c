/** Translates the filters of the list of events into SQL conditions. */

import { and, eq, inArray, not, type SQL, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  type eventCounts,
  events,
  hostGroupMembers,
  hosts,
  serviceGroupMembers,
  services,
} from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import { isTagged } from "../tags/tags.repository.ts";
import { amongRarestWord, containsText } from "./event-text.repository.ts";
import type { EventListArguments } from "./events.schemas.ts";

type GivenFilter = Omit<EventListArguments, "results" | "startindex" | "sort" | "dir">;

/** The filters of the list of events, without order and paging. */
export interface EventListFilter extends GivenFilter {
  /** Besides `hostgroupid`, only events of members of these groups. */
  scopegroupid?: readonly number[] | undefined;
}

/**
 * The filter, narrowed to a scope. By itself the scope is a filter by groups, so that it is counted and paged
 * by the kept counts of the groups.
 */
export function within<F extends GivenFilter>(filter: F, scope: Scope): F & EventListFilter {
  if (scope === "all") return filter;
  // No group has id 0.
  const groups = scope.groups.length === 0 ? [0] : [...scope.groups];
  return filter.hostgroupid ? { ...filter, scopegroupid: groups } : { ...filter, hostgroupid: groups };
}

/** Matches events of Ignored hosts, which are not shown as open. Partial indexes require the literal. */
const ofIgnoredHost = sql`${events.hostId} in (select ${hosts.id} from ${hosts} indexed by hosts_ignored
  where ${hosts.status} = ${sql.raw(String(HOST_STATUS.ignored))})`;

/** @param isDriven true: look up events by the members of the groups; false: check the host of each event */
function inGroups(groups: readonly number[], isDriven: boolean): SQL {
  const members = sql`select ${hostGroupMembers.hostId} from ${hostGroupMembers} where ${hostGroupMembers.groupId} in ${groups}`;
  return isDriven
    ? sql`${events.hostId} in (${members})`
    : sql`exists (${members} and ${hostGroupMembers.hostId} = ${events.hostId})`;
}

function inServiceGroups(groups: number[]): SQL {
  return sql`(${events.hostId}, ${events.nameId}) in (
    select ${services.hostId}, ${services.nameId} from ${services}
    join ${serviceGroupMembers} on ${serviceGroupMembers.serviceId} = ${services.id}
    where ${inArray(serviceGroupMembers.groupId, groups)})`;
}

/**
 * The events table with a fixed index. Without ANALYZE statistics SQLite chooses badly when a filter
 * selects very few or nearly all events. The counts of events allow a better choice.
 */
export function eventsBy(index: string): SQL {
  return sql`${events} indexed by ${sql.raw(index)}`;
}

/** Conditions on the kind of an event, for events or for the counts per kind. */
export function ofKind(table: typeof events | typeof eventCounts, filter: EventListFilter) {
  const { servicetype, eventtype, state } = filter;
  return [
    servicetype && inArray(table.serviceType, servicetype),
    eventtype === undefined ? undefined : sql`${table.eventType} & ${eventtype} <> 0`,
    state && inArray(table.state, state),
  ];
}

/**
 * The condition for a filter.
 * @param driver the part of the filter that may use an index; the others are only checked on each row
 */
export function selection(
  filter: EventListFilter,
  driver: "host" | "name" | "date" = "host",
): SQL | undefined {
  // A plus sign before a column keeps SQLite from using an index for it.
  const host = driver === "host" ? events.hostId : sql`+${events.hostId}`;
  const name = driver === "date" ? sql`+${events.nameId}` : events.nameId;
  const isDriven = driver === "host" && !filter.hostid && filter.active === 0;
  return and(
    // A literal, not a bound value: the partial index of active events requires a constant.
    filter.active > 0 ? and(sql`${events.active} = 1`, not(ofIgnoredHost)) : undefined,
    filter.active === 2 ? eq(events.dismissed, false) : undefined,
    filter.hostid && sql`${host} in ${filter.hostid}`,
    filter.hostgroupid && inGroups(filter.hostgroupid, isDriven),
    filter.tag && isTagged(events.hostId, filter.tag, isDriven && !filter.hostgroupid),
    filter.scopegroupid && inGroups(filter.scopegroupid, false),
    filter.servicenameid && sql`${name} in ${filter.servicenameid}`,
    containsText(filter.text),
    filter.servicegroupid && inServiceGroups(filter.servicegroupid),
    ...ofKind(events, filter),
    filter.datefrom !== undefined ? sql`${events.date} >= ${filter.datefrom}` : undefined,
    filter.dateto !== undefined ? sql`${events.date} <= ${filter.dateto}` : undefined,
    filter.maxid !== undefined ? sql`${events.id} <= ${filter.maxid}` : undefined,
  );
}

/**
 * A further condition by which a text search finds events through an index; undefined if another part of the
 * filter does so, or if all events have to be read.
 */
export function searchDriver(db: Db, filter: EventListFilter): SQL | undefined {
  const { active, hostid, hostgroupid, tag, servicenameid, servicegroupid, text } = filter;
  const isDriven = active > 0 || hostid || hostgroupid || tag || servicenameid || servicegroupid;
  return isDriven ? undefined : amongRarestWord(db, text);
}
