/** Translates the filters of the list of events into SQL conditions. */

import { and, eq, inArray, not, type SQL, type SQLWrapper, sql } from "drizzle-orm";
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
import { indexedBy, isTrue, listOf, unindexed } from "../../platform/storage/words.ts";
import { HOST_STATUS } from "../health/health.ts";
import { pastOf } from "../past/past.ts";
import { inScope, membersOf } from "../scope/scope.repository.ts";
import { isTagged } from "../tags/tags.repository.ts";
import { amongRarestWord, containsText } from "./event-text.repository.ts";
import type { EventListArguments } from "./events.schemas.ts";

type GivenFilter = Omit<EventListArguments, "results" | "startindex" | "sort" | "dir">;

/** The filters of the list of events, without order and paging. */
export interface EventListFilter extends Omit<GivenFilter, "servicegroupid"> {
  /** Only events of these services: the members of service groups. */
  serviceid?: readonly number[] | undefined;
  /** Besides `hostgroupid`: only events of members of these groups. */
  scopegroupid?: readonly number[] | undefined;
  /** In the past: the scope by the memberships of today. */
  scope?: Scope | undefined;
}

/**
 * Narrows a filter to a scope. If the filter names no groups, those of the scope take their place, so that the stored
 * counts per group serve to count and page.
 */
function within<F extends EventListFilter>(filter: F, scope: Scope): F & EventListFilter {
  if (scope === "all") return filter;
  // No group has id 0.
  const groups = scope.groups.length === 0 ? [0] : [...scope.groups];
  return filter.hostgroupid ? { ...filter, scopegroupid: groups } : { ...filter, hostgroupid: groups };
}

/**
 * The database that has the events of a filter, and the filter to use there. For a moment in the past, its own database
 * has the events that were open, and the real one has all others, up to the moment.
 */
export function sourceOf<F extends GivenFilter>(
  db: Db,
  { servicegroupid, ...given }: F,
  scope: Scope,
): { db: Db; filter: Omit<F, "servicegroupid"> & EventListFilter } {
  const past = pastOf(db);
  const filter = { ...given, serviceid: servicegroupid && servicesInGroups(db, servicegroupid) };
  if (!past) return { db, filter: within(filter, scope) };
  if (filter.active > 0) return { db, filter: { ...filter, scope } };
  const hosts = past.hostsThen(filter);
  const then = hosts ? { ...filter, hostid: hosts, hostgroupid: undefined, tag: undefined } : filter;
  const dateto = Math.min(filter.dateto ?? past.at, past.at);
  return { db: past.history, filter: within({ ...then, dateto }, scope) };
}

/** Matches events of Ignored hosts, which are not shown as open. Partial indexes require the literal. */
const ofIgnoredHost = sql`${events.hostId} in (select ${hosts.id} from ${hosts} ${indexedBy("hosts_ignored")}
  where ${hosts.status} = ${sql.raw(String(HOST_STATUS.ignored))})`;

/** @param isDriven true: find events by the members of the groups; false: check the host of each event */
function inGroups(groups: readonly number[], isDriven: boolean): SQL {
  const members = membersOf(groups);
  return isDriven
    ? sql`${events.hostId} in (${members})`
    : sql`exists (${members} and ${hostGroupMembers.hostId} = ${events.hostId})`;
}

function servicesInGroups(db: Db, groups: number[]): number[] {
  const rows = db
    .selectDistinct({ id: serviceGroupMembers.serviceId })
    .from(serviceGroupMembers)
    .where(inArray(serviceGroupMembers.groupId, groups))
    .all();
  return rows.map(({ id }) => id);
}

function ofServices(ids: readonly number[]): SQL {
  return sql`(${events.hostId}, ${events.nameId}) in (
    select ${services.hostId}, ${services.nameId} from ${services} where ${services.id} in ${listOf(ids)})`;
}

/**
 * The events table with a fixed index. Without ANALYZE statistics SQLite chooses badly when a filter
 * selects very few or nearly all events. The counts of events allow a better choice.
 */
export function eventsBy(index: string): SQL {
  return sql`${events} ${indexedBy(index)}`;
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
 * More host ids than this are passed as one parameter, as a statement takes a bounded number: a moment can name all
 * hosts.
 */
const MAX_PARAMETERS = 10_000;

/** How a filter is read: the columns that can use an index, and how groups or tags find events. */
interface Reading {
  filter: EventListFilter;
  host: SQLWrapper;
  name: SQLWrapper;
  isDriven: boolean;
}
type FilterName = keyof Required<EventListFilter>;
const KINDS = ["servicetype", "eventtype", "state"] as const;

/**
 * Every filter except those of the kind. A literal, not a bound value: the partial index of active events requires a
 * constant.
 */
const CONDITIONS: {
  [K in Exclude<FilterName, (typeof KINDS)[number]>]: (
    value: NonNullable<EventListFilter[K]>,
    reading: Reading,
  ) => SQL | undefined;
} = {
  active: (active) =>
    and(
      active > 0 ? and(sql`${events.active} = ${isTrue}`, not(ofIgnoredHost)) : undefined,
      active === 2 ? eq(events.dismissed, false) : undefined,
    ),
  hostid: (ids, { host }) => sql`${host} in ${ids.length > MAX_PARAMETERS ? listOf(ids) : ids}`,
  hostgroupid: (groups, { isDriven }) => inGroups(groups, isDriven),
  tag: (tags, { filter, isDriven }) =>
    isTagged(events.hostId, tags, { isDriven: isDriven && !filter.hostgroupid }),
  scopegroupid: (groups) => inGroups(groups, false),
  scope: (scope) => inScope(events.hostId, scope),
  servicenameid: (ids, { name }) => sql`${name} in ${ids}`,
  text: containsText,
  serviceid: ofServices,
  datefrom: (date) => sql`${events.date} >= ${date}`,
  dateto: (date) => sql`${events.date} <= ${date}`,
  maxid: (id) => sql`${events.id} <= ${id}`,
};

const NAMES = [...Object.keys(CONDITIONS), ...KINDS] as FilterName[];

/** Whether a filter uses only these conditions. */
export function asksOnly(filter: EventListFilter, names: readonly FilterName[]): boolean {
  const { active } = filter;
  const filterNames = NAMES.filter((name) => (name === "active" ? active > 0 : filter[name] !== undefined));
  return filterNames.every((name) => names.includes(name));
}

/**
 * The condition for a filter.
 * @param driver the part of the filter that can use an index; the others are only checked on each row
 */
export function selection(
  filter: EventListFilter,
  driver: "host" | "name" | "date" = "host",
): SQL | undefined {
  const reading: Reading = {
    filter,
    host: driver === "host" ? events.hostId : unindexed(events.hostId),
    name: driver === "date" ? unindexed(events.nameId) : events.nameId,
    isDriven: driver === "host" && !filter.hostid && filter.active === 0,
  };
  const conditions = Object.entries(CONDITIONS).map(([name, condition]) => {
    const value = filter[name as keyof typeof CONDITIONS];
    return value === undefined ? undefined : condition(value as never, reading);
  });
  return and(...conditions, ...ofKind(events, filter));
}

/**
 * A further condition that makes a text search find events through an index; undefined if another part of the filter
 * already does, or if all events must be read.
 */
export function searchDriver(db: Db, filter: EventListFilter): SQL | undefined {
  const { active, hostid, hostgroupid, tag, servicenameid, serviceid, text } = filter;
  const isDriven = active > 0 || hostid || hostgroupid || tag || servicenameid || serviceid;
  return isDriven ? undefined : amongRarestWord(db, text);
}
