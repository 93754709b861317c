/** Reads pages of the list of events. Chooses the index that reaches the page with the fewest rows. */
import { and, asc, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { events, hosts, names } from "../../platform/storage/schema.ts";
import {
  indexedBy,
  isFalse,
  isTrue,
  joinedInOrder,
  listOf,
  NO_LIMIT,
  notIndexed,
} from "../../platform/storage/words.ts";
import { failureIn, failuresOf } from "./event-failures.repository.ts";
import { type EventListFilter, eventsBy, searchDriver, selection } from "./event-selection.repository.ts";
import { windowOfPage } from "./event-totals.repository.ts";
import type { EventListArguments } from "./events.schemas.ts";

/** Up to this many matching events are sorted in memory. For more, an index is walked in order. */
const MAX_SORTED = 20_000;

interface PageQuery {
  db: Db;
  filter: EventListFilter;
  dir: "asc" | "desc";
  startindex: number;
  limit: number;
  /** Number of events that match the filter. */
  total: number;
}

const SORT_COLUMNS = {
  date: events.date,
  hostname: hosts.hostnameKey,
  servicename: names.nameKey,
  // Ignores the case of ASCII letters only: sort keys of millions of messages would cost too much.
  event: sql`lower(${events.message})`,
  note: events.noted,
} as const;

const DATES_OF = {
  host: "events_by_host_and_date",
  name: "events_by_service_name_and_date",
  date: "events_by_date",
} as const;

function hasSelectiveFilter(filter: EventListFilter): boolean {
  const { active, hostid, hostgroupid, tag, servicenameid, serviceid, text } = filter;
  return active > 0 || (hostid ?? hostgroupid ?? tag ?? servicenameid ?? serviceid ?? text) !== undefined;
}

/** Collects every event that the filter selects and sorts them. */
function gatherFrom(filter: EventListFilter): SQL | typeof events {
  const { active, hostid, hostgroupid, tag, servicenameid, serviceid } = filter;
  if (active > 0) return eventsBy("events_active_by_date");
  if (serviceid) return events;
  if (hostid || hostgroupid || tag)
    return eventsBy(servicenameid ? "events_of_check_by_date" : "events_by_host_and_date");
  return servicenameid ? eventsBy("events_by_service_name_and_date") : events;
}

function idsFrom(
  { db, dir, startindex, limit }: PageQuery,
  source: SQL,
  condition: SQL | undefined,
  order: SQLWrapper[],
): number[] {
  const direction = dir === "desc" ? desc : asc;
  const rows = db.all<{ id: number }>(
    sql`select ${events.id} as id from ${source} where ${condition ?? sql`true`}
      order by ${sql.join([...order, events.id].map(direction), sql`, `)} limit ${limit} offset ${startindex}`,
  );
  return rows.map(({ id }) => id);
}

function gather(query: PageQuery, sort: EventListArguments["sort"]): number[] {
  const { filter } = query;
  const source = sql`${gatherFrom(filter)} join ${hosts} on ${hosts.id} = ${events.hostId}
    join ${names} on ${names.id} = ${events.nameId}`;
  const condition = and(searchDriver(query.db, filter), selection(filter));
  return idsFrom(query, source, condition, [SORT_COLUMNS[sort]]);
}

/** Walks an index in order of date: of one host, of one service name, or of all events. */
function byDate(query: PageQuery): number[] {
  const { db, filter, startindex } = query;
  const { active, hostid, servicenameid } = filter;
  const window = windowOfPage(db, filter, query);
  const within = window && {
    ...filter,
    datefrom: Math.max(window.from, filter.datefrom ?? window.from),
    dateto: Math.min(window.to, filter.dateto ?? window.to),
  };
  const driver = hostid?.length === 1 ? "host" : servicenameid?.length === 1 ? "name" : "date";
  const source = eventsBy(active > 0 ? "events_active_by_date" : DATES_OF[driver]);
  const skip = window ? window.skip : startindex;
  return idsFrom({ ...query, startindex: skip }, source, selection(within ?? filter, driver), [events.date]);
}

/** Walks hosts, or service names, in order of their names. */
function byName(query: PageQuery, sort: "hostname" | "servicename"): number[] {
  const source =
    sort === "hostname"
      ? sql`${hosts} ${indexedBy("hosts_by_name")} ${joinedInOrder} ${eventsBy(DATES_OF.host)} on ${events.hostId} = ${hosts.id}`
      : sql`${names} ${indexedBy("names_by_key")} ${joinedInOrder} ${eventsBy(DATES_OF.name)} on ${events.nameId} = ${names.id}`;
  return idsFrom(query, source, selection(query.filter, "date"), [SORT_COLUMNS[sort]]);
}

/** Reads the few events with a note and the events without one separately, each in order of id. */
function byNote(query: PageQuery): number[] {
  const { filter, dir, startindex, limit, total } = query;
  const part = (isNoted: boolean, from: number, length: number) =>
    idsFrom(
      { ...query, startindex: from, limit: length },
      isNoted ? eventsBy("events_noted") : sql`${events} ${notIndexed}`,
      // A literal, not a bound value: the partial index of noted events requires a constant.
      and(
        isNoted ? sql`${events.noted} = ${isTrue}` : sql`${events.noted} = ${isFalse}`,
        selection(filter, "date"),
      ),
      [],
    );
  const noted = part(true, 0, NO_LIMIT);
  const restCount = total - noted.length;
  if (dir === "desc") {
    const first = noted.slice(startindex, startindex + limit);
    return [...first, ...part(false, Math.max(0, startindex - noted.length), limit - first.length)];
  }
  const first = startindex < restCount ? part(false, startindex, limit) : [];
  const from = Math.max(0, startindex - restCount);
  return [...first, ...noted.slice(from, from + limit - first.length)];
}

function idsOfPage(query: PageQuery, sort: EventListArguments["sort"]): number[] {
  const { filter, startindex, total, limit } = query;
  if (startindex >= total || limit <= 0) return [];
  const isFew = total <= MAX_SORTED && hasSelectiveFilter(filter);
  const isInOrder = filter.hostid?.length === 1 && !filter.servicenameid;
  if (sort === "date") return isFew && !isInOrder ? gather(query, sort) : byDate(query);
  if (isFew || sort === "event") return gather(query, sort);
  return sort === "note" ? byNote(query) : byName(query, sort);
}

/**
 * The ids of a page of events in the requested order. Ties are ordered by id, in the same direction.
 * @param total number of events that match the filter
 */
export function idsOfEvents(
  db: Db,
  args: EventListArguments & EventListFilter,
  limit: number,
  total: number,
): number[] {
  const { results, startindex, sort, dir, ...filter } = args;
  return idsOfPage({ db, filter, dir, startindex, limit, total }, sort);
}

/** Events as lists show them, in the order of these ids. */
export function eventsNamed(db: Db, ids: readonly number[]) {
  const records = db
    .select({
      id: events.id,
      date: events.date,
      hostname: hosts.hostname,
      hostid: events.hostId,
      servicename: names.name,
      servicenameid: events.nameId,
      event: events.message,
      eventtype: events.state,
      note: events.noted,
      active: events.active,
      dismissed: events.dismissed,
      limitid: events.limitId,
      severity: events.severity,
    })
    .from(events)
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(sql`${events.id} in ${listOf(ids)}`)
    .all();
  const failures = failuresOf(db, ids);
  const byId = new Map(
    records.map((record) => [record.id, { ...record, ...failureIn(failures, record.id) }]),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}
