/** The filters of the list of events as conditions. */
import { and, eq, inArray, not, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  events,
  hostGroupMembers,
  hosts,
  serviceGroupMembers,
  services,
} from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import type { EventListArguments } from "./events.schemas.ts";

/** Which events are meant, however they are ordered and paged. */
export type EventListFilter = Omit<EventListArguments, "results" | "startindex" | "sort" | "dir">;

/** Hosts whose open failures are not shown as such. Written out, as their index applies only to the constant. */
const ofIgnoredHost = sql`${events.hostId} in (select ${hosts.id} from ${hosts} indexed by hosts_ignored
  where ${hosts.status} = ${sql.raw(String(HOST_STATUS.ignored))})`;

/** @param isDriven whether the members lead to the events; otherwise each event's host is looked for among them */
function inGroups(groups: number[], isDriven: boolean): SQL {
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

type EventIndex =
  | "events_once"
  | "events_of_check_by_date"
  | "events_by_date"
  | "events_by_host_and_date"
  | "events_by_service_name_and_date"
  | "events_active_by_date"
  | "events_noted";

/**
 * The events, by way of an index. Without statistics, which would be another thing to keep, SQLite guesses wrong where a
 * filter selects few or nearly all events; the counts of events tell better.
 */
export function eventsBy(index: EventIndex): SQL {
  return sql`${events} indexed by ${sql.raw(index)}`;
}

/** A column that no index is to be looked for. */
function plain(column: SQLWrapper): SQL {
  return sql`+${column}`;
}

/** Conditions on what an event is, which the counts per kind can answer too. */
export function ofKind({ servicetype, eventtype, state }: EventListFilter): (SQL | undefined)[] {
  return [
    servicetype && inArray(events.serviceType, servicetype),
    eventtype !== undefined ? sql`${events.eventType} & ${eventtype} <> 0` : undefined,
    state && inArray(events.state, state),
  ];
}

/**
 * @param driver what is walked through, so that its condition may use an index; those of the others are only looked at
 */
export function selection(
  filter: EventListFilter,
  driver: "host" | "name" | "date" = "host",
): SQL | undefined {
  const host = driver === "host" ? events.hostId : plain(events.hostId);
  const name = driver === "date" ? plain(events.nameId) : events.nameId;
  return and(
    // Written out, not bound: the index of active events applies only to the constant.
    filter.active > 0 ? and(sql`${events.active} = 1`, not(ofIgnoredHost)) : undefined,
    filter.active === 2 ? eq(events.dismissed, false) : undefined,
    filter.hostid && sql`${host} in ${filter.hostid}`,
    filter.hostgroupid &&
      inGroups(filter.hostgroupid, driver === "host" && !filter.hostid && filter.active === 0),
    filter.servicenameid && sql`${name} in ${filter.servicenameid}`,
    filter.servicegroupid && inServiceGroups(filter.servicegroupid),
    ...ofKind(filter),
    filter.datefrom !== undefined ? sql`${events.date} >= ${filter.datefrom}` : undefined,
    filter.dateto !== undefined ? sql`${events.date} <= ${filter.dateto}` : undefined,
    filter.maxid !== undefined ? sql`${events.id} <= ${filter.maxid}` : undefined,
  );
}
