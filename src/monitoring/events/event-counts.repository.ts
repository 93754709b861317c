/**
 * The counts of events: per kind and day (see eventCounts in the schema), and per host and service. Code
 * that stores or deletes events must call `changeEventCounts` in the same transaction. `muster doctor`
 * compares the counts with the events.
 */
import { eq } from "drizzle-orm";
import { DAY } from "../../platform/clock.ts";
import { type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { addRows, addToRows, queryRows, type RowsQuery } from "../../platform/storage/rows.ts";
import {
  eventCounts,
  eventNameCounts,
  type events,
  groupCountChanges,
  hosts,
  services,
} from "../../platform/storage/schema.ts";

/** The columns by which events are counted. They are never updated. */
export type CountedColumns = Pick<
  typeof events.$inferSelect,
  "nameId" | "serviceType" | "date" | "eventType" | "state"
>;

/** A group of a host's events that share one count. */
export interface EventKind {
  nameId: number;
  /** UTC days since 1970. */
  day: number;
  serviceType: number;
  eventType: number;
  state: number;
  /** Number of events. */
  n: number;
}

/** The UTC day of a date in unix seconds. UTC_DAY is the same in SQL. */
function utcDay(date: number): number {
  return Math.trunc(date / DAY) - (date < 0 ? 1 : 0);
}

/** SQL: the UTC day of `date`. Both are integers, so the quotient is rounded towards zero. */
export const UTC_DAY = `(date / ${DAY} - case when date < 0 then 1 else 0 end)`;

/** The kind of a single event, with a count of 1. */
export function kindOf({ nameId, serviceType, date, eventType, state }: CountedColumns): EventKind {
  return { nameId, day: utcDay(date), serviceType, eventType, state, n: 1 };
}

/** Counts events per kind. */
export function kindsOf(rows: readonly CountedColumns[]): EventKind[] {
  const kinds = new Map<string, EventKind>();
  for (const row of rows) {
    const kind = kindOf(row);
    const key = `${kind.nameId} ${kind.day} ${kind.serviceType} ${kind.eventType} ${kind.state}`;
    const count = kinds.get(key);
    if (count) count.n++;
    else kinds.set(key, kind);
  }
  return [...kinds.values()];
}

/** The groups whose counts include a host's events: its memberships without those not yet applied. */
export const COUNTED_GROUPS = `select host_id, group_id from host_group_members m
  where not exists (select 1 from group_count_changes c where c.host_id = m.host_id and c.group_id = m.group_id)
  union all select host_id, group_id from group_count_changes where sign < 0`;

type CountedKind = [
  hostId: number,
  nameId: number,
  day: number,
  serviceType: number,
  eventType: number,
  state: number,
];

const addKind = addRows(eventCounts, ["scope", "day", "serviceType", "eventType", "state"], "n");
const addToHost = addToRows(hosts, ["id"], "events", "id");
const addToService = addToRows(services, ["hostId", "nameId"], "events", "hostId");

const addName = addRows(eventNameCounts, ["groupId", "nameId"], "n");

const groupsOfHosts: RowsQuery<{ hostId: "integer" }, { nth: number; groupId: number }> = queryRows(
  { hostId: "integer" },
  ({ rows, lookUp }) => `select rows.nth, m.group_id as "groupId"
    from ${rows} ${lookUp("host_group_members", "m", "m.host_id = rows.host_id")}
    where not exists (
      select 1 from group_count_changes c where c.host_id = m.host_id and c.group_id = m.group_id)
    union all select rows.nth, c.group_id as "groupId"
    from ${rows} ${lookUp("group_count_changes", "c", "c.host_id = rows.host_id and c.sign < 0")}`,
);

/** The groups whose counts include the events of hosts, as read in the present transaction. */
const groupsRead = oncePerTransaction(() => new Map<number, number[]>());

/** Reads in one statement the groups in which `changeEventCounts` will count the events of these hosts. */
export function prefetchCountedGroups(db: Db, hostIds: Iterable<number>): void {
  const read = groupsRead(db);
  const rows = [...new Set(hostIds)].filter((id) => !read.has(id)).map((hostId) => ({ hostId }));
  for (const { hostId } of rows) read.set(hostId, []);
  for (const { nth, groupId } of groupsOfHosts(db, rows)) read.get(rows[nth - 1]?.hostId ?? 0)?.push(groupId);
}

/** Forgets the groups in which the events of a host are counted. Call it when it joins or leaves one. */
export function forgetCountedGroups(db: Db, hostId: number): void {
  groupsRead(db).delete(hostId);
}

function countedGroups(db: Db, hostId: number): readonly number[] {
  const read = groupsRead(db).get(hostId);
  return read ?? groupsOfHosts(db, [{ hostId }]).map(({ groupId }) => groupId);
}

const GROUPS_OF_HOST = `select group_id from (${COUNTED_GROUPS}) as counted where host_id = ?1`;

const dropStatements = prepareOnce((db) => ({
  kind: db.$client.prepare<null, CountedKind>(
    `delete from event_counts where day = ?3 and service_type = ?4 and event_type = ?5 and state = ?6 and n = 0
     and scope in (select 0 union all select ?2 union all select -group_id from (${GROUPS_OF_HOST}) as own)`,
  ),
  name: db.$client.prepare<null, [hostId: number, nameId: number]>(
    `delete from event_name_counts where group_id in (${GROUPS_OF_HOST}) and name_id = ?2 and n = 0`,
  ),
}));

/** Separate from the statements above, as it only runs when a host is deleted. */
const kindsOfHost = prepareOnce((db) =>
  db.$client.prepare<EventKind, [hostId: number]>(
    `select name_id as "nameId", ${UTC_DAY} as day, service_type as "serviceType",
       event_type as "eventType", state, count(*) as n
     from events where host_id = ? group by 1, 2, 3, 4, 5`,
  ),
);

/** Adds events of a host to all counts (`sign` 1) or subtracts them (-1). */
export function changeEventCounts(db: Db, hostId: number, kinds: readonly EventKind[], sign: 1 | -1): void {
  const drop = dropStatements(db);
  const groups = countedGroups(db, hostId);
  let total = 0;
  for (const kind of kinds) {
    const { nameId, day, serviceType, eventType, state } = kind;
    const n = sign * kind.n;
    addKind(db, { ...kind, scope: 0, n });
    addKind(db, { ...kind, scope: nameId, n });
    for (const groupId of groups) {
      addKind(db, { ...kind, scope: -groupId, n });
      addName(db, { groupId, nameId, n });
    }
    addToService(db, { hostId, nameId, events: n });
    total += n;
    if (sign === 1) continue;
    drop.kind.run(hostId, nameId, day, serviceType, eventType, state);
    drop.name.run(hostId, nameId);
  }
  addToHost(db, { id: hostId, events: total });
}

/** Subtracts all events of a host from all counts. Call it before deleting the host. */
export function deleteCountsOfHost(db: Db, hostId: number): void {
  changeEventCounts(db, hostId, kindsOfHost(db).all(hostId), -1);
  db.delete(groupCountChanges).where(eq(groupCountChanges.hostId, hostId)).run();
}
