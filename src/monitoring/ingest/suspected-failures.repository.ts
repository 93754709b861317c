/** Failures that a single status of an agent reported without an event (see unreported-failures.ts). */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { insertRows, queryRows, type RowsQuery, writeRows } from "../../platform/storage/rows.ts";
import { suspectedFailures } from "../../platform/storage/schema.ts";

/** A failure that the last status of a service reported. Times are unix seconds. */
export interface SuspectedFailure {
  serviceId: number;
  /** One event class. */
  eventType: number;
  /** Date of the first check that found it. */
  since: number;
  /** The same date by the agent's clock; 0 if unknown. */
  collectedSec: number;
  /** When the first status that reported it was received. */
  receivedAt: number;
}

const statements = prepareOnce((db) => ({
  ofHost: db.$client.prepare<SuspectedFailure, [number]>(
    `select service_id as "serviceId", event_type as "eventType", since, collected_sec as "collectedSec",
       received_at as "receivedAt" from suspected_failures where host_id = ?`,
  ),
}));

const insertFailure = insertRows(
  suspectedFailures,
  ["hostId", "serviceId", "eventType", "since", "collectedSec", "receivedAt"],
  "hostId",
);

const deleteFailure = writeRows(
  { serviceId: "integer", eventType: "integer" },
  "hostId",
  ({ rows }) => `delete from suspected_failures where (service_id, event_type) in (
    select service_id, event_type from ${rows})`,
);

const CHECK = { hostId: "integer", nameId: "integer", eventType: "integer", since: "integer" } as const;

const OF_CHECK = `host_id = rows.host_id and name_id = rows.name_id and event_type = rows.event_type and limit_id = 0
  and date >= rows.since`;

const turnsOfChecks: RowsQuery<
  typeof CHECK,
  { nameId: number; eventType: number; failed: number | null; recovered: number | null }
> = queryRows(
  CHECK,
  ({ rows }) => `select rows.name_id as "nameId", rows.event_type as "eventType",
      (select max(date) from events where ${OF_CHECK} and state in (0, 1)) as failed,
      (select max(date) from silent_recoveries where ${OF_CHECK}) as recovered
    from ${rows}`,
);

/** A check of a host since a time, unix seconds. */
export interface CheckSince {
  nameId: number;
  eventType: number;
  since: number;
}

/**
 * When checks of a host last failed or recovered, unix seconds, by `keyWithinHost`. Checks without a failure or
 * recovery since their time are left out.
 */
export function newestTurns(db: Db, hostId: number, checks: readonly CheckSince[]): Map<string, number> {
  const rows = turnsOfChecks(
    db,
    checks.map((check) => ({ ...check, hostId })),
  );
  return new Map(
    rows.flatMap(({ failed, recovered, ...check }) =>
      failed === null && recovered === null
        ? []
        : [[keyWithinHost(check), Math.max(failed ?? 0, recovered ?? 0)] as const],
    ),
  );
}

/** The key of a check in what `newestTurns` returns. */
export function keyWithinHost({ nameId, eventType }: Omit<CheckSince, "since">): string {
  return `${nameId} ${eventType}`;
}

/** The suspected failures of a host, in any order. */
export function suspectedFailuresOf(db: Db, hostId: number): SuspectedFailure[] {
  return statements(db).ofHost.all(hostId);
}

/** Stores failures of a host that one status reported. They must not be stored yet. */
export function insertSuspectedFailures(db: Db, hostId: number, rows: readonly SuspectedFailure[]): void {
  for (const row of rows) insertFailure(db, { ...row, hostId });
}

/** Deletes suspected failures; does nothing for those that are not stored. */
export function deleteSuspectedFailures(
  db: Db,
  hostId: number,
  rows: readonly Pick<SuspectedFailure, "serviceId" | "eventType">[],
): void {
  for (const { serviceId, eventType } of rows) deleteFailure(db, { hostId, serviceId, eventType });
}
