/** Synchronizes the stored services of a host with a message: new, changed, vanished and returned ones. */

import { MAX_SERVICES } from "../../monit/limits.ts";
import type { AgentMessage, AgentService } from "../../monit/message.types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { ServiceRow } from "../../platform/storage/schema.ts";
import { withNameIds } from "../events/events.repository.ts";
import { serviceLed } from "../health/health.ts";
import { worstLevel } from "../limits/limits.repository.ts";
import { setExcluded } from "../uptime/excluded-time.repository.ts";
import type { KnownHost } from "./host-cache.ts";
import {
  changeService,
  findServices,
  insertServices,
  type NewService,
  returnService,
  updateService,
} from "./services.repository.ts";
import { deleteExcessVanished } from "./vanished-services.repository.ts";

/**
 * An unknown status or monitoring state keeps its last value. For a new service the defaults are OK and
 * monitored.
 */
function stateOf(service: AgentService, row: ServiceRow | undefined) {
  const isStatusKnown = service.status !== null;
  return {
    type: service.type,
    monitorState: service.monitor ?? row?.monitorState ?? 1,
    monitorMode: service.monitorMode,
    onReboot: service.onReboot,
    status: service.status ?? row?.status ?? 0,
    statusHint: isStatusKnown ? service.statusHint : (row?.statusHint ?? 0),
    limitLevel: row?.limitLevel ?? 0,
    every: service.every,
  };
}

function isUnchanged(row: ServiceRow, service: AgentService): boolean {
  return (
    (service.status === null || (row.status === service.status && row.statusHint === service.statusHint)) &&
    (service.monitor === null || row.monitorState === service.monitor) &&
    row.type === service.type &&
    row.monitorMode === service.monitorMode &&
    row.onReboot === service.onReboot &&
    row.every === service.every &&
    // Rows of a host that was deleted before an upgrade may have the LED of an earlier version.
    row.led === serviceLed(row)
  );
}

function markMonitored(db: Db, row: ServiceRow, at: number): void {
  const owner = { hostId: row.hostId, serviceId: row.id };
  setExcluded(db, owner, row.monitorState === 0 ? "unmonitored" : null, at);
}

function reappear(db: Db, row: ServiceRow, service: AgentService, at: number): void {
  const before = { ...row };
  // Failures of limits ended when it vanished, except if its host was ignored then.
  const state = { ...stateOf(service, row), limitLevel: worstLevel(db, row), vanishedAt: null };
  Object.assign(row, state, { led: serviceLed(state) });
  returnService(db, before, row, at);
}

/**
 * The services that the last message of a host did not list. If several share a name, only the first counts.
 * @param host null for a host that is itself new
 */
export function newServices(host: KnownHost | null, services: readonly AgentService[]): AgentService[] {
  const added = new Map<string, AgentService>();
  for (const service of services)
    if (!host?.services.has(service.name) && !added.has(service.name)) added.set(service.name, service);
  return [...added.values()];
}

/** Adds services that the host does not have: new ones, and ones that vanished earlier. */
export function addServices(db: Db, host: KnownHost, services: readonly AgentService[], at: number): void {
  const hostId = host.row.id;
  const servicesWithIds = withNameIds(db, services);
  const nameIds = servicesWithIds.map(({ nameId }) => nameId);
  const rows = host.isNew ? new Map<number, ServiceRow>() : findServices(db, hostId, nameIds);
  const unknown: NewService[] = [];
  // An import with events moves the creation of the host back. The first services of such a host are as old as the
  // host.
  const createdAt = host.row.importedUntil > 0 && host.services.size === 0 ? host.row.createdAt : at;
  for (const service of servicesWithIds) {
    const { nameId } = service;
    const row = rows.get(nameId);
    const state = stateOf(service, undefined);
    if (row) reappear(db, row, service, at);
    else unknown.push({ hostId, nameId, createdAt, ...state, led: serviceLed(state) });
  }
  const isNew = new Set(unknown.map(({ nameId }) => nameId));
  for (const row of insertServices(db, unknown, host.isNew)) rows.set(row.nameId, row);
  for (const { name, nameId } of servicesWithIds) {
    const row = rows.get(nameId);
    if (row === undefined) throw new Error(`service "${name}" has no row`);
    if (!isNew.has(nameId) || row.monitorState === 0) markMonitored(db, row, at);
    host.services.set(name, row);
  }
}

function change(db: Db, row: ServiceRow, service: AgentService, at: number): void {
  const before = { ...row };
  const state = stateOf(service, row);
  const monitoringChanged = (row.monitorState === 0) !== (state.monitorState === 0);
  Object.assign(row, state, { led: serviceLed(state) });
  changeService(db, before, row, at);
  if (monitoringChanged) markMonitored(db, row, at);
}

function vanish(db: Db, host: KnownHost, name: string, row: ServiceRow, at: number): void {
  updateService(db, row.id, { vanishedAt: at });
  setExcluded(db, { hostId: row.hostId, serviceId: row.id }, "vanished", at);
  host.services.delete(name);
}

/**
 * Updates the services of a host from its agent's message. A service that could not be read stays as it is.
 * @returns whether services appeared or vanished
 */
export function syncServices(
  db: Db,
  host: KnownHost,
  { services: listed, unreadServices }: AgentMessage,
  at: number,
): boolean {
  const added = newServices(host, listed);
  if (added.length > 0) addServices(db, host, added, at);
  for (const service of listed) {
    const row = host.services.get(service.name);
    if (row && !isUnchanged(row, service)) change(db, row, service, at);
  }
  const isOtherList = added.length > 0;
  // The bound applies even to an agent that never sends a complete list.
  const isAnyKept = unreadServices === "any" && host.services.size <= MAX_SERVICES;
  if (host.services.size === listed.length || isAnyKept) return isOtherList;
  const unreadNames = unreadServices === "any" ? [] : unreadServices;
  const names = new Set([...listed.map((service) => service.name), ...unreadNames]);
  let hasVanished = false;
  for (const [name, row] of host.services) {
    if (names.has(name)) continue;
    vanish(db, host, name, row, at);
    hasVanished = true;
  }
  if (hasVanished) deleteExcessVanished(db, host.row.id);
  return isOtherList || hasVanished;
}
