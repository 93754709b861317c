/**
 * Counts the events that match a filter. Stored counts per kind and day (see eventCounts in the schema) answer
 * filters by kind, date, and either service name or host group. For other filters, events are counted through an
 * index.
 */
import { and, between, count, gt, inArray, type SQL, sql, sum } from "drizzle-orm";
import { DAY } from "../../platform/clock.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  eventCounts,
  eventNameCounts,
  events,
  groupCountChanges,
  hostGroupMembers,
} from "../../platform/storage/schema.ts";
import { notIndexed } from "../../platform/storage/words.ts";
import { UTC_DAY } from "./event-counts.repository.ts";
import {
  asksOnly,
  type EventListFilter,
  eventsBy,
  ofKind,
  searchDriver,
  selection,
} from "./event-selection.repository.ts";

/** The most events newer than `maxid` that are counted separately. Beyond this, every event is counted. */
const MAX_NEWER = 200_000;

/** The scope of the counts of all events. No id is 0: a filter by id 0 selects nothing, not everything. */
const ALL = 0;

/** Filters that stored counts can answer, besides one by the names of services or by host groups. */
const COUNTED = ["servicetype", "eventtype", "state", "datefrom", "dateto", "maxid"] as const;

/** The scopes whose counts add up to the result; null if stored counts cannot answer the filter. */
function scopesOf(filter: EventListFilter): number[] | null {
  const { servicenameid, hostgroupid } = filter;
  if (!asksOnly(filter, [...COUNTED, servicenameid ? "servicenameid" : "hostgroupid"])) return null;
  const scopes = servicenameid ?? hostgroupid?.map((id) => -id);
  return scopes?.filter((scope) => scope !== ALL) ?? [ALL];
}

/** The whole UTC days within the filter's time, both inclusive. */
function wholeDays({ datefrom, dateto }: EventListFilter): { first: number; last: number } {
  return {
    first: datefrom === undefined ? Number.MIN_SAFE_INTEGER : Math.ceil(datefrom / DAY),
    last: dateto === undefined ? Number.MAX_SAFE_INTEGER : Math.floor((dateto + 1) / DAY) - 1,
  };
}

function counted(filter: EventListFilter, scopes: number[]): SQL | undefined {
  const { first, last } = wholeDays(filter);
  return and(
    inArray(eventCounts.scope, scopes),
    between(eventCounts.day, first, last),
    ...ofKind(eventCounts, filter),
  );
}

/** Counts matching events between two dates by walking through the index of dates. */
function countWithin(db: Db, filter: EventListFilter, datefrom: number, dateto: number): number {
  const within = { ...filter, datefrom, dateto };
  const name = filter.servicenameid !== undefined;
  return countRows(
    db,
    eventsBy(name ? "events_by_service_name_and_date" : "events_by_date"),
    selection(within, name ? "name" : "date"),
  );
}

/** Counts the events on the first and last day of the filter's time that it covers only partly. */
function countEdges(db: Db, filter: EventListFilter): number {
  const { datefrom, dateto } = filter;
  const { first, last } = wholeDays(filter);
  if (datefrom !== undefined && dateto !== undefined && first > last)
    return datefrom > dateto ? 0 : countWithin(db, filter, datefrom, dateto);
  const before = datefrom !== undefined && datefrom < first * DAY;
  const after = dateto !== undefined && dateto >= (last + 1) * DAY;
  return (
    (before ? countWithin(db, filter, datefrom, first * DAY - 1) : 0) +
    (after ? countWithin(db, filter, (last + 1) * DAY, dateto) : 0)
  );
}

/**
 * The difference between the sum of the groups' counts and the true number. It comes from memberships not yet applied
 * to the counts, and from hosts in more than one of the groups.
 */
function groupCorrection(db: Db, filter: EventListFilter, groups: number[]): number {
  const changes = db
    .select({
      hostId: groupCountChanges.hostId,
      weight: sql<number>`sum(${groupCountChanges.sign})`.as("weight"),
    })
    .from(groupCountChanges)
    .where(inArray(groupCountChanges.groupId, groups))
    .groupBy(groupCountChanges.hostId);
  const shared = db
    .select({ hostId: hostGroupMembers.hostId, weight: sql<number>`1 - count(*)`.as("weight") })
    .from(hostGroupMembers)
    .where(inArray(hostGroupMembers.groupId, groups))
    .groupBy(hostGroupMembers.hostId)
    .having(sql`count(*) > 1`);
  const { first, last } = wholeDays(filter);
  const ofHost = {
    ...filter,
    hostgroupid: undefined,
    datefrom: filter.datefrom === undefined ? undefined : first * DAY,
    dateto: filter.dateto === undefined ? undefined : (last + 1) * DAY - 1,
  };
  const correction = (of: typeof changes | typeof shared) =>
    db.all<{ n: number | null }>(
      sql`select sum(weight * (select count(*) from ${events} where ${events.hostId} = w.host_id and ${selection(ofHost) ?? sql`true`}))
        as n from ${of} as w`,
    )[0]?.n ?? 0;
  return correction(changes) + (new Set(groups).size > 1 ? correction(shared) : 0);
}

function hasChanges(db: Db, groups: number[]): boolean {
  const change = db
    .select({ hostId: groupCountChanges.hostId })
    .from(groupCountChanges)
    .where(inArray(groupCountChanges.groupId, groups))
    .limit(1)
    .get();
  return change !== undefined;
}

/** Counts events filtered only by service name and host group. */
function countNamesInGroups(db: Db, groups: number[], names: number[]): number {
  const row = db
    .select({ n: sum(eventNameCounts.n).mapWith(Number) })
    .from(eventNameCounts)
    .where(and(inArray(eventNameCounts.groupId, groups), inArray(eventNameCounts.nameId, names)))
    .get();
  return row?.n ?? 0;
}

function countFromCounts(db: Db, filter: EventListFilter): number | null {
  const { hostgroupid, servicenameid } = filter;
  if (hostgroupid && servicenameid && asksOnly(filter, ["hostgroupid", "servicenameid", "maxid"]))
    return countNamesInGroups(db, hostgroupid, servicenameid) + groupCorrection(db, filter, hostgroupid);
  const scopes = scopesOf(filter);
  if (!scopes) return null;
  const row = db
    .select({ n: sum(eventCounts.n).mapWith(Number) })
    .from(eventCounts)
    .where(counted(filter, scopes))
    .get();
  const correction = hostgroupid ? groupCorrection(db, filter, hostgroupid) : 0;
  return (row?.n ?? 0) + correction + countEdges(db, filter);
}

/** Counts matching events through the most selective index. */
function countOneByOne(db: Db, filter: EventListFilter): number {
  const { active, hostid, hostgroupid, servicenameid, servicetype, datefrom, dateto } = filter;
  const hasDate = datefrom !== undefined || dateto !== undefined;
  const source =
    active > 0
      ? eventsBy("events_active_by_date")
      : hostgroupid && servicenameid && !hostid && !hasDate && !servicetype
        ? eventsBy("events_of_check_by_date")
        : events;
  const row = db
    .select({ n: count() })
    .from(source)
    .where(and(searchDriver(db, filter), selection(filter)))
    .get();
  return row?.n ?? 0;
}

function newestId(db: Db): number {
  return db.all<{ id: number | null }>(sql`select max(${events.id}) as id from ${events}`)[0]?.id ?? 0;
}

/** Counts matching events with an id above `maxid`, by UTC day. */
function newerByDay(db: Db, filter: EventListFilter, maxid: number): Map<number, number> {
  const day = sql<number>`${sql.raw(UTC_DAY)}`;
  const rows = db
    .select({ day, n: count() })
    .from(sql`${events} ${notIndexed}`)
    .where(and(gt(events.id, maxid), selection({ ...filter, maxid: undefined })))
    .groupBy(day)
    .all();
  return new Map(rows.map((row) => [row.day, row.n]));
}

/** The exact number of events that match a filter. */
export function countEvents(db: Db, filter: EventListFilter): number {
  const { maxid, ...countable } = filter;
  const newer = maxid === undefined ? 0 : newestId(db) - maxid;
  if (newer > MAX_NEWER) return countOneByOne(db, filter);
  const total = countFromCounts(db, countable) ?? countOneByOne(db, countable);
  if (maxid === undefined || newer <= 0) return total;
  return (
    total -
    newerByDay(db, countable, maxid)
      .values()
      .reduce((sum, n) => sum + n, 0)
  );
}

/** A time window that contains a page, and how many matching events in the window precede the page. */
export interface PageWindow {
  from: number;
  to: number;
  skip: number;
}

/**
 * Locates a page of a list in order of date, to the day, from the stored counts.
 * @returns null if the stored counts cannot answer the filter
 */
export function windowOfPage(
  db: Db,
  filter: EventListFilter,
  page: { dir: "asc" | "desc"; startindex: number; limit: number },
): PageWindow | null {
  const scopes = scopesOf(filter);
  const { maxid, hostgroupid, datefrom, dateto } = filter;
  if (!scopes || (hostgroupid && (hostgroupid.length > 1 || hasChanges(db, hostgroupid)))) return null;
  const newer = maxid === undefined ? 0 : newestId(db) - maxid;
  if (newer > MAX_NEWER) return null;
  // Partly covered days, which are the first and the last, are treated as whole days.
  const rows = db
    .select({ day: eventCounts.day, n: sum(eventCounts.n).mapWith(Number) })
    .from(eventCounts)
    .where(counted(filter, scopes))
    .groupBy(eventCounts.day)
    .orderBy(eventCounts.day)
    .all();
  const days = new Map(rows.map(({ day, n }) => [day, n]));
  const edges = [datefrom, dateto].filter((edge) => edge !== undefined).map((edge) => Math.floor(edge / DAY));
  for (const day of edges) {
    if (days.has(day)) continue;
    const from = Math.max(day * DAY, datefrom ?? Number.MIN_SAFE_INTEGER);
    const to = Math.min((day + 1) * DAY - 1, dateto ?? Number.MAX_SAFE_INTEGER);
    if (from <= to) days.set(day, countWithin(db, { ...filter, maxid: undefined }, from, to));
  }
  if (newer > 0 && maxid !== undefined)
    for (const [day, n] of newerByDay(db, filter, maxid)) days.set(day, (days.get(day) ?? 0) - n);
  const ordered = [...days].sort(([a], [b]) => (page.dir === "asc" ? a - b : b - a));
  return pageWithin(ordered, page);
}

function pageWithin(
  days: readonly (readonly [day: number, n: number])[],
  { startindex, limit }: { startindex: number; limit: number },
): PageWindow {
  let skipped = 0;
  let first: number | null = null;
  let skip = 0;
  let last = 0;
  for (const [day, n] of days) {
    if (skipped + n > startindex) {
      if (first === null) [first, skip] = [day, startindex - skipped];
      last = day;
    }
    skipped += n;
    if (skipped >= startindex + limit) break;
  }
  // The page begins beyond the last event.
  if (first === null) return { from: 0, to: -1, skip: 0 };
  return { from: Math.min(first, last) * DAY, to: (Math.max(first, last) + 1) * DAY - 1, skip };
}
