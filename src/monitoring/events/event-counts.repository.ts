/**
 * The counts of events: per kind and day (see eventCounts in the schema), and per host and service. Code
 * that stores or deletes events must call `changeEventCounts` in the same transaction. `muster doctor`
 * compares the counts with the events.
 */
import { eq } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { rowWriter } from "../../platform/storage/row-writer.ts";
import { type events, groupCountChanges } from "../../platform/storage/schema.ts";

export const DAY = 86_400;

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

/** SQL: the UTC day of `date`. Whole numbers are divided, so that the quotient is cut off. */
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
    const known = kinds.get(key);
    if (known) known.n++;
    else kinds.set(key, kind);
  }
  return [...kinds.values()];
}

/** Selects the groups whose counts include a host's events: its memberships without those not yet applied. */
export const COUNTED_GROUPS = `select host_id, group_id from host_group_members m
  where not exists (select 1 from group_count_changes c where c.host_id = m.host_id and c.group_id = m.group_id)
  union all select host_id, group_id from group_count_changes where sign < 0`;

type Kind = [
  hostId: number,
  nameId: number,
  day: number,
  serviceType: number,
  eventType: number,
  state: number,
];

const groupsOf = (host: string) =>
  `select group_id from (${COUNTED_GROUPS}) as counted where host_id = ${host}`;
const GROUPS_OF_HOST = groupsOf("?1");

/** The scopes of an event's counts. */
const scopesOf = (host: string, name: string) =>
  `(select 0 as scope union all select ${name} union all select -group_id from (${groupsOf(host)}) as own) as scopes`;

/** Raw SQL, as these statements run for every event. */
const addKind = rowWriter<[...Kind, n: number]>({
  sqlite: `insert into event_counts (scope, day, service_type, event_type, state, n)
    select scope, ?3, ?4, ?5, ?6, ?7 from ${scopesOf("?1", "?2")} where true
    on conflict (scope, day, service_type, event_type, state) do update set n = event_counts.n + excluded.n`,
  postgres: `insert into event_counts (scope, day, service_type, event_type, state, n)
    select scope, day, service_type, event_type, state, sum(n)
    from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[], ?6::bigint[], ?7::bigint[])
      as given(host_id, name_id, day, service_type, event_type, state, n)
      cross join lateral ${scopesOf("given.host_id", "given.name_id")}
    group by 1, 2, 3, 4, 5
    on conflict (scope, day, service_type, event_type, state) do update set n = event_counts.n + excluded.n`,
});

/** "offset 0" keeps PostgreSQL from joining all memberships before it looks for those of the hosts. */
const addName = rowWriter<[hostId: number, nameId: number, n: number]>({
  sqlite: `insert into event_name_counts (group_id, name_id, n) select group_id, ?2, ?3
    from (${GROUPS_OF_HOST}) as own where true
    on conflict (group_id, name_id) do update set n = event_name_counts.n + excluded.n`,
  postgres: `insert into event_name_counts (group_id, name_id, n) select group_id, name_id, sum(n)
    from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[]) as given(host_id, name_id, n)
      cross join lateral (${groupsOf("given.host_id")} offset 0) as own
    group by 1, 2
    on conflict (group_id, name_id) do update set n = event_name_counts.n + excluded.n`,
});

const addToService = rowWriter<[hostId: number, nameId: number, n: number]>({
  sqlite: "update services set events = events + ?3 where host_id = ?1 and name_id = ?2",
  postgres: `update services set events = services.events + given.n
    from (select host_id, name_id, sum(n) as n
        from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[]) as each(host_id, name_id, n) group by 1, 2) as given
    where services.host_id = given.host_id and services.name_id = given.name_id`,
});

const addToHost = rowWriter<[hostId: number, n: number]>({
  sqlite: "update hosts set events = events + ?2 where id = ?1",
  postgres: `update hosts set events = hosts.events + given.n
    from (select host_id, sum(n) as n from unnest(?1::bigint[], ?2::bigint[]) as each(host_id, n) group by 1) as given
    where hosts.id = given.host_id`,
});

const dropStatements = prepareOnce((db) => ({
  kind: db.$client.prepare<null, Kind>(
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
  let total = 0;
  for (const { nameId, day, serviceType, eventType, state, n } of kinds) {
    addKind(db, hostId, nameId, day, serviceType, eventType, state, sign * n);
    addName(db, hostId, nameId, sign * n);
    addToService(db, hostId, nameId, sign * n);
    total += n;
    if (sign === 1) continue;
    drop.kind.run(hostId, nameId, day, serviceType, eventType, state);
    drop.name.run(hostId, nameId);
  }
  addToHost(db, hostId, sign * total);
}

/** Subtracts all events of a host from all counts. Call it before deleting the host. */
export function deleteCountsOfHost(db: Db, hostId: number): void {
  changeEventCounts(db, hostId, kindsOfHost(db).all(hostId), -1);
  db.delete(groupCountChanges).where(eq(groupCountChanges.hostId, hostId)).run();
}
