/** Failures that one status of an agent reported without an event (see unreported-failures.ts). */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";

/** A failure that the last status of a service reported. Times are unix seconds. */
export interface SuspectedFailure {
  serviceId: number;
  /** One event class. */
  eventType: number;
  /** Date of the check that found it first. */
  since: number;
  /** The same by the agent's clock; 0 if unknown. */
  collectedSec: number;
  /** When the status that reported it first was received. */
  receivedAt: number;
}

const OF_CHECK =
  "host_id = ?2 and name_id = given.name and event_type = given.type and limit_id = 0 and date >= given.since";

const statements = prepareOnce((db) => ({
  ofHost: db.$client.prepare<SuspectedFailure, [number]>(
    `select service_id as "serviceId", event_type as "eventType", since, collected_sec as "collectedSec",
       received_at as "receivedAt" from suspected_failures where host_id = ?`,
  ),
  insert: db.$client.prepare<null, [hostId: number, rows: string]>(
    `insert into suspected_failures (host_id, service_id, event_type, since, collected_sec, received_at)
     select cast(? as bigint), cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), cast(value ->> 2 as bigint),
       cast(value ->> 3 as bigint), cast(value ->> 4 as bigint) from json_each(?)`,
  ),
  delete: db.$client.prepare<null, [rows: string]>(
    `delete from suspected_failures where (service_id, event_type) in (
       select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint) from json_each(?))`,
  ),
  newestTurns: db.$client.prepare<
    Omit<CheckSince, "since"> & { turned: number | null; recovered: number | null },
    [rows: string, hostId: number]
  >(
    `select name as "nameId", type as "eventType",
       (select max(date) from events where ${OF_CHECK} and state in (0, 1)) as turned,
       (select max(date) from silent_recoveries where ${OF_CHECK}) as recovered
     from (select cast(value ->> 0 as bigint) as name, cast(value ->> 1 as bigint) as type,
       cast(value ->> 2 as bigint) as since from json_each(?1)) as given`,
  ),
}));

/** A check of a host since a time, unix seconds. */
export interface CheckSince {
  nameId: number;
  eventType: number;
  since: number;
}

/**
 * When checks of a host last failed or recovered, unix seconds, by name and class. Those that did not since their times are
 * left out.
 */
export function newestTurns(db: Db, hostId: number, checks: readonly CheckSince[]): Map<string, number> {
  const columns = checks.map(({ nameId, eventType, since }) => [nameId, eventType, since]);
  const rows = statements(db).newestTurns.all(JSON.stringify(columns), hostId);
  return new Map(
    rows.flatMap(({ turned, recovered, ...check }) =>
      turned === null && recovered === null
        ? []
        : [[checkKey(check), Math.max(turned ?? 0, recovered ?? 0)] as const],
    ),
  );
}

/** The key of a check in what `newestTurns` returns. */
export function checkKey({ nameId, eventType }: Omit<CheckSince, "since">): string {
  return `${nameId} ${eventType}`;
}

/** The suspected failures of a host, in any order. */
export function suspectedFailuresOf(db: Db, hostId: number): SuspectedFailure[] {
  return statements(db).ofHost.all(hostId);
}

export function insertSuspectedFailures(db: Db, hostId: number, rows: readonly SuspectedFailure[]): void {
  if (rows.length === 0) return;
  const columns = rows.map((row) => [
    ...[row.serviceId, row.eventType, row.since, row.collectedSec, row.receivedAt],
  ]);
  statements(db).insert.run(hostId, JSON.stringify(columns));
}

export function deleteSuspectedFailures(
  db: Db,
  rows: readonly Pick<SuspectedFailure, "serviceId" | "eventType">[],
): void {
  if (rows.length === 0) return;
  statements(db).delete.run(JSON.stringify(rows.map(({ serviceId, eventType }) => [serviceId, eventType])));
}
