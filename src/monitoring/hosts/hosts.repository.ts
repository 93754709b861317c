import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { withHostnameKey } from "../../platform/sort-key.ts";
import { existingIds } from "../../platform/storage/existing.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordChange } from "../../platform/storage/revisions.repository.ts";
import { changeRows } from "../../platform/storage/rows.ts";
import { type HostRow, hosts, names, services } from "../../platform/storage/schema.ts";
import { byColumns } from "../../platform/storage/statements.ts";
import { deleteCountsOfHost } from "../events/event-counts.repository.ts";
import { deleteUnusedWordSets, wordSetsOfHost } from "../events/event-words.repository.ts";
import { HOST_STATUS, healthColumns } from "../health/health.ts";
import { inScope } from "../scope/scope.repository.ts";
import {
  type CountedState,
  countHost,
  countingHost,
  isCounted,
  recountHost,
} from "./host-counts.repository.ts";
import { shownSettings } from "./hosts.schemas.ts";

export type NewHost = typeof hosts.$inferInsert;

/** Hosts by name. */
export function allHosts(db: Db, scope: Scope) {
  return db
    .select({
      id: hosts.id,
      hostname: hosts.hostname,
      ipaddrin: hosts.ipaddrin,
      ipaddrout: hosts.ipaddrout,
      description: hosts.description,
      agentVersion: hosts.agentVersion,
      status: hosts.status,
      led: hosts.led,
    })
    .from(hosts)
    .where(inScope(hosts.id, scope))
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id))
    .all();
}

/** The host with this id; undefined if it is deleted or outside the scope. */
export function findHost(db: Db, id: number, scope: Scope): HostRow | undefined {
  return db
    .select()
    .from(hosts)
    .where(and(eq(hosts.id, id), inScope(hosts.id, scope)))
    .get();
}

/** The ids among these that belong to existing hosts in the scope. */
export function existingHosts(db: Db, ids: readonly number[], scope: Scope): Set<number> {
  return existingIds(db, hosts, ids, inScope(hosts.id, scope));
}

const wholeHostByAgent = prepareOnce((db) =>
  db
    .select()
    .from(hosts)
    .where(eq(hosts.agentId, sql.placeholder("agentId")))
    .prepare(),
);

/** The host of an agent with all columns; undefined before its first message, and if the host is deleted. */
export function hostOfAgent(db: Db, agentId: string): HostRow | undefined {
  return wholeHostByAgent(db).get({ agentId });
}

/** The host of an agent, with the columns that most callers need. */
export function findHostOfAgent(db: Db, agentId: string) {
  return hostByAgent(db).get({ agentId });
}

const hostByAgent = prepareOnce((db) =>
  db
    .select({
      id: hosts.id,
      hostname: hosts.hostname,
      status: hosts.status,
      incarnation: hosts.incarnation,
      createdAt: hosts.createdAt,
      importedUntil: hosts.importedUntil,
    })
    .from(hosts)
    .where(eq(hosts.agentId, sql.placeholder("agentId")))
    .prepare(),
);

const insertHostStatement = byColumns((db, values: NewHost) =>
  db.insert(hosts).values(values).returning().prepare(),
);

/** Stores a new host and counts it. */
export function insertHost(db: Db, row: NewHost): HostRow {
  const keyed = withHostnameKey(row);
  const stored = insertHostStatement(db, keyed).get({ ...keyed });
  countHost(db, stored);
  return stored;
}

const updateHostStatement = byColumns((db, values: Partial<HostRow>) =>
  db
    .update(hosts)
    .set(values)
    .where(eq(hosts.id, sql.placeholder("rowId")))
    .prepare(),
);

/**
 * Columns of hosts whose past is recorded. `agentUptime` is recorded only when the agent's next run begins: its earlier
 * values follow from the last one of a run.
 */
export const RECORDED = [
  ...(Object.keys(shownSettings) as (keyof typeof shownSettings)[]),
  ...(["hostname", "keepname", "skew", "conflict", "poll", "incarnation"] as const),
  ...(["agentVersion", "controlFile", "startDelay", "platformName", "platformRelease"] as const),
  ...(["platformVersion", "platformMachine", "cpuCount", "memoryKb", "swapKb"] as const),
  ...(["status", "stopped", "heartbeat"] as const),
] as const satisfies (keyof HostRow)[];
type Recorded = (typeof RECORDED)[number];

const hostStatement = prepareOnce((db) =>
  db
    .select()
    .from(hosts)
    .where(eq(hosts.id, sql.placeholder("id")))
    .prepare(),
);

/** Records the columns of a host that are about to be replaced. @param at unix seconds */
function recordHost(db: Db, id: number, changes: Partial<HostRow>, at: number): void {
  const replaced = RECORDED.filter((name) => name in changes);
  if (replaced.length === 0) return;
  const row = hostStatement(db).get({ id });
  if (!row) return;
  const before = Object.fromEntries(replaced.map((name) => [name, row[name]]));
  const { agentUptime, lastmodified, incarnation } = row;
  const isNextRun = changes.incarnation !== undefined && changes.incarnation !== incarnation;
  const ofRun = isNextRun ? { agentUptime, lastmodified } : {};
  recordChange(
    db,
    ofHost(id, at),
    { ...before, ...ofRun },
    { ...changes, agentUptime: null, lastmodified: null },
  );
}

/** The revision of a host itself. @param until unix seconds */
export function ofHost(id: number, until: number) {
  return { kind: "hosts", hostId: id, objectId: id, until } as const;
}

/** Changes columns of a host and updates its counts and the sort key of its name. @param at unix seconds */
export function changeHost(db: Db, id: number, changes: Partial<HostRow>, at: number): void {
  recordHost(db, id, changes, at);
  const keyed = withHostnameKey(changes);
  const update = () => updateHostStatement(db, keyed).run({ ...keyed, rowId: id });
  if (isCounted(changes)) countingHost(db, id, update);
  else update();
}

/** As `changeHost`, for columns without a recorded past. */
export function updateHost(
  db: Db,
  id: number,
  changes: Partial<HostRow> & { [Name in Recorded]?: never },
): void {
  changeHost(db, id, changes, 0);
}

/** The columns of a host's state that its messages determine. */
export type HostState = CountedState & Pick<HostRow, "statusText" | "servicesTotal" | "servicesOk">;

/** The state of a row, to compare and count it before and after a change. */
export function hostStateOf(row: HostRow): HostState {
  const { status, stopped, heartbeat, led, statusText, servicesTotal, servicesOk } = row;
  return { status, stopped, heartbeat, led, statusText, servicesTotal, servicesOk };
}

const STATE_COLUMNS = [
  "status",
  "stopped",
  "heartbeat",
  "led",
  "statusText",
  "servicesTotal",
  "servicesOk",
] as const;

/** The columns that every report changes. */
const REPORT_COLUMNS = ["lastmodified", "deadline", "agentUptime", "cpu", "mem"] as const;

const changeState = changeRows(hosts, ["id"], STATE_COLUMNS, "id");
const touchAndChangeState = changeRows(hosts, ["id"], [...REPORT_COLUMNS, ...STATE_COLUMNS], "id");

/** Stores what every report changes of its host. */
export const touchHost = changeRows(hosts, ["id"], REPORT_COLUMNS, "id");

function isSameState(before: HostState, row: HostState): boolean {
  return STATE_COLUMNS.every((column) => row[column] === before[column]);
}

/** Records the state of a host that another one replaces. @param at unix seconds */
export function recordState(
  db: Db,
  id: number,
  { status, stopped, heartbeat }: Pick<HostState, "status" | "stopped" | "heartbeat">,
  after: Partial<HostState>,
  at: number,
): void {
  recordChange(db, ofHost(id, at), { status, stopped, heartbeat }, after);
}

/** Stores the state of a host if it changed, and counts it. @param before the stored state */
export function changeHostState(db: Db, before: HostState, row: HostRow, at: number): void {
  if (isSameState(before, row)) return;
  recordState(db, row.id, before, row, at);
  changeState(db, row);
  recountHost(db, before, row);
}

/** Does what `touchHost` and `changeHostState` do, with one statement. */
export function storeReport(db: Db, before: HostState, row: HostRow): void {
  if (isSameState(before, row)) touchHost(db, row);
  else {
    recordState(db, row.id, before, row, row.lastmodified);
    touchAndChangeState(db, row);
    recountHost(db, before, row);
  }
}

/**
 * Deletes a host with everything that belongs to it, and updates all counts.
 * @param keep called before the rows are deleted, when its events are no longer counted
 */
export function deleteHost(db: Db, id: number, keep: () => void): void {
  countingHost(db, id, () => {
    deleteCountsOfHost(db, id);
    const wordSetIds = wordSetsOfHost(db, id);
    keep();
    db.delete(hosts).where(eq(hosts.id, id)).run();
    deleteUnusedWordSets(db, wordSetIds);
  });
}

/** Ids of Inactive hosts whose last message arrived at `before` or earlier. */
export function inactiveHosts(db: Db, before: number): number[] {
  return db
    .select({ id: hosts.id })
    .from(hosts)
    .where(and(eq(hosts.status, HOST_STATUS.inactive), lte(hosts.lastmodified, before)))
    .all()
    .map((row) => row.id);
}

const usageStatement = prepareOnce((db) =>
  db
    .select({ cpu: hosts.cpu, mem: hosts.mem })
    .from(hosts)
    .where(eq(hosts.id, sql.placeholder("hostId")))
    .prepare(),
);

/** The last known usage of a host, in percent. The host cache is not updated with it. */
export function usageOfHost(db: Db, hostId: number): { cpu: number; mem: number } {
  return usageStatement(db).get({ hostId }) ?? { cpu: -1, mem: -1 };
}

/** The services in the last message of a host's agent, by name. */
export function presentServices(db: Db, hostId: number) {
  return db
    .select({ service: services, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(eq(services.hostId, hostId), isNull(services.vanishedAt)))
    .orderBy(asc(names.nameKey), asc(services.id))
    .all();
}

/** The columns of a host that follow from its state and its stored services. */
export function healthOfHost(db: Db, row: HostRow) {
  return healthColumns(
    row,
    presentServices(db, row.id).map(({ service }) => service.led),
  );
}
