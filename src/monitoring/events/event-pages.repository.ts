/** Pages of the list of events, read in the order that is asked for from the index that leads there soonest. */
import { and, asc, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { events, hosts, names } from "../../platform/storage/schema.ts";
import { type EventListFilter, eventsBy, selection } from "./event-selection.repository.ts";
import { windowOfPage } from "./event-totals.repository.ts";
import type { EventListArguments } from "./events.schemas.ts";

/** So many events are sorted rather than looked for along an index of the order. */
const MAX_SORTED = 20_000;

interface Question {
  db: Db;
  filter: EventListFilter;
  dir: "asc" | "desc";
  startindex: number;
  limit: number;
  /** Events that fit. */
  total: number;
}

const SORT_COLUMNS = {
  date: events.date,
  hostname: hosts.hostnameKey,
  servicename: names.nameKey,
  // A key beside each of millions of texts would cost more than this order is worth: A to Z alone lose their case.
  event: sql`lower(${events.message})`,
  note: events.noted,
} as const;

const DATES_OF = {
  host: "events_by_host_and_date",
  name: "events_by_service_name_and_date",
  date: "events_by_date",
} as const;

/** As a limit, SQLite's word for none. */
const ALL = -1;

function hasSelectiveFilter({
  active,
  hostid,
  hostgroupid,
  servicenameid,
  servicegroupid,
}: EventListFilter): boolean {
  return active > 0 || [hostid, hostgroupid, servicenameid, servicegroupid].some((ids) => ids !== undefined);
}

/** What the filter selects, whatever the order. */
function gatherFrom({
  active,
  hostid,
  hostgroupid,
  servicenameid,
  servicegroupid,
}: EventListFilter): SQL | typeof events {
  if (active > 0) return eventsBy("events_active_by_date");
  if (servicegroupid) return events;
  if (hostid || hostgroupid)
    return eventsBy(servicenameid ? "events_of_check_by_date" : "events_by_host_and_date");
  return servicenameid ? eventsBy("events_by_service_name_and_date") : events;
}

function idsFrom(
  { db, dir, startindex, limit }: Question,
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

function gather(question: Question, sort: EventListArguments["sort"]): number[] {
  const { filter } = question;
  const source = sql`${gatherFrom(filter)} join ${hosts} on ${hosts.id} = ${events.hostId}
    join ${names} on ${names.id} = ${events.nameId}`;
  return idsFrom(question, source, selection(filter), [SORT_COLUMNS[sort]]);
}

/** By the index of all dates, or of those of the one host or service name that is asked for. */
function byDate(question: Question): number[] {
  const { db, filter, startindex } = question;
  const { active, hostid, servicenameid } = filter;
  const window = windowOfPage(db, filter, question);
  const within = window && {
    ...filter,
    datefrom: Math.max(window.from, filter.datefrom ?? window.from),
    dateto: Math.min(window.to, filter.dateto ?? window.to),
  };
  const driver = hostid?.length === 1 ? "host" : servicenameid?.length === 1 ? "name" : "date";
  const source = eventsBy(active > 0 ? "events_active_by_date" : DATES_OF[driver]);
  const skip = window ? window.skip : startindex;
  return idsFrom({ ...question, startindex: skip }, source, selection(within ?? filter, driver), [
    events.date,
  ]);
}

/** Host by host, or service name by service name, in the order of their names. */
function byName(question: Question, sort: "hostname" | "servicename"): number[] {
  // CROSS: in this order, and no other.
  const [source, joined] =
    sort === "hostname"
      ? [
          sql`${hosts} indexed by hosts_by_name cross join ${eventsBy(DATES_OF.host)}`,
          eq(events.hostId, hosts.id),
        ]
      : [
          sql`${names} indexed by names_by_key cross join ${eventsBy(DATES_OF.name)}`,
          eq(events.nameId, names.id),
        ];
  const condition = and(joined, selection(question.filter, "date"));
  return idsFrom(question, source, condition, [SORT_COLUMNS[sort]]);
}

/** Those with a note, which are few, and the others, each in the order of their ids. */
function byNote(question: Question): number[] {
  const { filter, dir, startindex, limit, total } = question;
  const part = (isNoted: boolean, from: number, length: number) =>
    idsFrom(
      { ...question, startindex: from, limit: length },
      isNoted ? eventsBy("events_noted") : sql`${events} not indexed`,
      // Written out, not bound: the index of noted events applies only to the constant.
      and(isNoted ? sql`${events.noted} = 1` : sql`${events.noted} = 0`, selection(filter, "date")),
      [],
    );
  const noted = part(true, 0, ALL);
  const others = total - noted.length;
  if (dir === "desc") {
    const first = noted.slice(startindex, startindex + limit);
    return [...first, ...part(false, Math.max(0, startindex - noted.length), limit - first.length)];
  }
  const first = startindex < others ? part(false, startindex, limit) : [];
  const from = Math.max(0, startindex - others);
  return [...first, ...noted.slice(from, from + limit - first.length)];
}

function idsOfPage(question: Question, sort: EventListArguments["sort"]): number[] {
  const { filter, startindex, total, limit } = question;
  if (startindex >= total || limit <= 0) return [];
  const isFew = total <= MAX_SORTED && hasSelectiveFilter(filter);
  const isInOrder = filter.hostid?.length === 1 && !filter.servicenameid;
  if (sort === "date") return isFew && !isInOrder ? gather(question, sort) : byDate(question);
  if (isFew || sort === "event") return gather(question, sort);
  return sort === "note" ? byNote(question) : byName(question, sort);
}

/**
 * A page of events in the asked order; ties by id, in the same direction.
 * @param total how many events fit the filter
 */
export function listEvents(db: Db, asked: EventListArguments, limit: number, total: number) {
  const { results, startindex, sort, dir, ...filter } = asked;
  const ids = idsOfPage({ db, filter, dir, startindex, limit, total }, sort);
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
    })
    .from(events)
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(sql`${events.id} in (select value from json_each(${JSON.stringify(ids)}))`)
    .all();
  const byId = new Map(records.map((record) => [record.id, record]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
