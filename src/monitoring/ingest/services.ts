/** Synchronizes the stored services of a host with a message: new, changed, vanished and returned ones. */

import { MAX_SERVICES } from "../../monit/limits.ts";
import type { AgentMessage, AgentService } from "../../monit/message.types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { ServiceRow } from "../../platform/storage/schema.ts";
import { countEventsOfService, nameIdOf } from "../events/events.repository.ts";
import { serviceLed } from "../health/health.ts";
import { setExcluded } from "../uptime/excluded-time.repository.ts";
import type { KnownHost } from "./host-cache.ts";
import { findService, insertService, updateService } from "./ingest.repository.ts";
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
    row.every === service.every
  );
}

function markMonitored(db: Db, row: ServiceRow, at: number): void {
  setExcluded(db, row.hostId, row.id, row.monitorState === 0 ? "unmonitored" : null, at);
}

function appear(db: Db, hostId: number, service: AgentService, at: number): ServiceRow {
  const nameId = nameIdOf(db, service.name);
  const earlier = findService(db, hostId, nameId);
  const state = { ...stateOf(service, earlier), limitLevel: 0, vanishedAt: null };
  const led = serviceLed(state);
  if (earlier) updateService(db, earlier.id, { ...state, led });
  const row = earlier
    ? { ...earlier, ...state, led }
    : insertService(db, {
        hostId,
        nameId,
        createdAt: at,
        ...state,
        led,
        events: countEventsOfService(db, hostId, nameId),
      });
  if (earlier || row.monitorState === 0) markMonitored(db, row, at);
  return row;
}

function change(db: Db, row: ServiceRow, service: AgentService, at: number): void {
  const state = stateOf(service, row);
  const monitoringChanged = (row.monitorState === 0) !== (state.monitorState === 0);
  Object.assign(row, state, { led: serviceLed(state) });
  updateService(db, row.id, { ...state, led: row.led });
  if (monitoringChanged) markMonitored(db, row, at);
}

function vanish(db: Db, host: KnownHost, name: string, row: ServiceRow, at: number): void {
  updateService(db, row.id, { vanishedAt: at });
  setExcluded(db, row.hostId, row.id, "vanished", at);
  host.services.delete(name);
}

/**
 * Updates the services of a host from its agent's message. A service that could not be read stays as it is.
 * @returns whether services appeared or vanished
 */
export function syncServices(
  db: Db,
  host: KnownHost,
  { services: documented, unreadServices }: AgentMessage,
  at: number,
): boolean {
  let isOtherList = false;
  for (const service of documented) {
    const row = host.services.get(service.name);
    if (row && isUnchanged(row, service)) continue;
    if (row) change(db, row, service, at);
    else {
      host.services.set(service.name, appear(db, host.row.id, service, at));
      isOtherList = true;
    }
  }
  // The bound applies even to an agent that never sends a complete list.
  const isAnyKept = unreadServices === "any" && host.services.size <= MAX_SERVICES;
  if (host.services.size === documented.length || isAnyKept) return isOtherList;
  const kept = unreadServices === "any" ? [] : unreadServices;
  const names = new Set([...documented.map((service) => service.name), ...kept]);
  let vanished = false;
  for (const [name, row] of host.services) {
    if (names.has(name)) continue;
    vanish(db, host, name, row, at);
    vanished = true;
  }
  if (vanished) deleteExcessVanished(db, host.row.id);
  return isOtherList || vanished;
}
