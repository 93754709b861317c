/** Stores the services of hosts, and records what messages change about them. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordChange } from "../../platform/storage/revisions.repository.ts";
import { changeRows, insertNewRows, queryRows, type RowsQuery } from "../../platform/storage/rows.ts";
import { names, type ServiceRow, services } from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";
import { listOf } from "../../platform/storage/words.ts";
import { failingClasses, isOtherTurn } from "../health/health.ts";

export type NewService = Omit<ServiceRow, "id" | "vanishedAt" | "events">;

const servicesStatement = prepareOnce((db) =>
  db
    .select({ service: services, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(eq(services.hostId, sql.placeholder("hostId")), isNull(services.vanishedAt)))
    .prepare(),
);

/** The services in the last message of a host's agent, in any order. */
export function servicesOfHost(db: Db, hostId: number): { service: ServiceRow; name: string }[] {
  return servicesStatement(db).all({ hostId });
}

const NEW_SERVICE = {
  ...({ hostId: "integer", nameId: "integer", createdAt: "integer", type: "integer" } as const),
  ...({ monitorState: "integer", monitorMode: "integer", onReboot: "integer", status: "integer" } as const),
  ...({ statusHint: "integer", limitLevel: "integer", led: "integer", every: "text" } as const),
} as const;

const COLUMNS = `host_id, name_id, created_at, type, monitor_state, monitor_mode, on_reboot, status, status_hint, limit_level,
  led, every`;

/** Counts the events of each new service: some may have been stored before the service was first listed. */
const insertServiceRows: RowsQuery<typeof NEW_SERVICE, { id: number; nameId: number; events: number }> =
  queryRows(
    NEW_SERVICE,
    ({ rows }) => `insert into services (${COLUMNS}, events) select ${COLUMNS},
      (select count(*) from events where events.host_id = rows.host_id and events.name_id = rows.name_id)
    from ${rows} returning id, name_id as "nameId", events`,
  );

const newServices = insertNewRows(
  services,
  [
    ...(["hostId", "nameId", "createdAt", "type", "monitorState", "monitorMode", "onReboot"] as const),
    ...(["status", "statusHint", "limitLevel", "led", "every", "events"] as const),
  ],
  "hostId",
);

/**
 * Inserts services of one host, with distinct names.
 * @param isNew whether the host is new, so that it has no events
 * @returns their rows, in any order
 */
export function insertServices(db: Db, rows: readonly NewService[], isNew: boolean): ServiceRow[] {
  if (isNew) {
    const ids = newServices.insertAll(
      db,
      rows.map((row) => ({ ...row, events: 0 })),
    );
    return rows.map((row, i) => ({ ...row, id: ids[i] as number, events: 0, vanishedAt: null }));
  }
  const inserted = insertServiceRows(db, rows);
  const byName = new Map(rows.map((row) => [row.nameId, row]));
  return inserted.flatMap(({ id, nameId, events }) => {
    const row = byName.get(nameId);
    return row ? [{ ...row, id, events, vanishedAt: null }] : [];
  });
}

const updateServiceStatement = byColumns((db, values: Partial<ServiceRow>) =>
  db
    .update(services)
    .set(values)
    .where(eq(services.id, sql.placeholder("rowId")))
    .prepare(),
);

/** Sets columns of a service, even of one that has vanished. No revision is recorded: `changeService` does that. */
export function updateService(db: Db, serviceId: number, changes: Partial<ServiceRow>): void {
  updateServiceStatement(db, changes).run({ ...changes, rowId: serviceId });
}

const servicesOfNames = prepareOnce((db) =>
  db
    .select()
    .from(services)
    .where(
      and(
        eq(services.hostId, sql.placeholder("hostId")),
        sql`${services.nameId} in ${listOf(sql.placeholder("nameIds"))}`,
      ),
    )
    .prepare(),
);

/** The services of a host with one of these names, by name id, if they existed before. */
export function findServices(db: Db, hostId: number, nameIds: readonly number[]): Map<number, ServiceRow> {
  const rows = servicesOfNames(db).all({ hostId, nameIds: JSON.stringify(nameIds) });
  return new Map(rows.map((row) => [row.nameId, row]));
}

const updateFromMessage = changeRows(
  services,
  ["id"],
  ["type", "monitorState", "monitorMode", "onReboot", "status", "statusHint", "limitLevel", "every", "led"],
  "hostId",
);

/**
 * Records what a message changed about a service. A change that is not a failure is not recorded here, as an event
 * reports it. Whether a scheduled check has its turn is not recorded either: that would make a revision in each cycle.
 */
function recordService(db: Db, before: ServiceRow, row: ServiceRow, at: number): void {
  const {
    id: objectId,
    hostId,
    type,
    monitorState,
    monitorMode,
    onReboot,
    every,
    status,
    statusHint,
  } = before;
  const monitored = isOtherTurn(monitorState, row.monitorState) ? {} : { monitorState };
  const shown = { type, ...monitored, monitorMode, onReboot, every };
  // Both are recorded, as either may have changed since without a revision.
  const isOtherFailure = failingClasses(before) !== failingClasses(row);
  const replaced = isOtherFailure ? { ...shown, status, statusHint } : shown;
  const changes = isOtherFailure ? { ...row, status: null, statusHint: null } : row;
  recordChange(db, { kind: "services", hostId, objectId, until: at }, replaced, changes);
}

/**
 * Stores everything that a message tells about a service.
 * @param before the stored row
 * @param at unix seconds
 */
export function changeService(db: Db, before: ServiceRow, row: ServiceRow, at: number): void {
  recordService(db, before, row, at);
  updateFromMessage(db, row);
}

/** Stores that a vanished service is listed again. @param before the stored row @param at unix seconds */
export function returnService(db: Db, before: ServiceRow, row: ServiceRow, at: number): void {
  const { type, monitorState, monitorMode, onReboot, status, statusHint, limitLevel, every, led } = row;
  recordService(db, before, row, at);
  updateService(db, row.id, {
    ...{ type, monitorState, monitorMode, onReboot, status, statusHint, limitLevel, every, led },
    vanishedAt: null,
  });
}
