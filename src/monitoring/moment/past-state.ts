/** Derives the state of hosts and services at a moment from what was true then. Pure. */
import { HEARTBEAT } from "../../monit/event-types.ts";
import {
  HOST_STATUS,
  hostLed,
  hostStatusText,
  LIMIT_LEVEL,
  type ServiceHealth,
  type ServiceTally,
  serviceLed,
} from "../health/health.ts";
import type { ExcludedReason } from "../uptime/excluded-time.repository.ts";
import type { PastFailure } from "./past-failures.repository.ts";

/** What is failing of a service. */
export interface Failing {
  /** Bits of event types. */
  status: number;
  limitLevel: number;
}

const NOTHING_FAILING: Failing = { status: 0, limitLevel: LIMIT_LEVEL.none };

/** A failure with the severity of its last event. */
export interface GradedFailure extends PastFailure {
  /** 1 warning, 2 critical; 0 of a failure that the agent reported. */
  severity: number;
}

/** Identifies a service of a host by its name, as the key of a map. */
export const serviceKey = (hostId: number, nameId: number) => `${hostId} ${nameId}`;

/** What is failing of each service. Outages of hosts are left out. */
export function failingServices(
  failures: readonly GradedFailure[],
): (hostId: number, nameId: number) => Failing {
  const failing = new Map<string, Failing>();
  for (const { hostId, nameId, eventType, limitId, severity } of failures) {
    if (eventType === HEARTBEAT) continue;
    const key = serviceKey(hostId, nameId);
    const before = failing.get(key) ?? NOTHING_FAILING;
    failing.set(
      key,
      limitId === 0
        ? { ...before, status: before.status | eventType }
        : { ...before, limitLevel: Math.max(before.limitLevel, severity) },
    );
  }
  return (hostId, nameId) => failing.get(serviceKey(hostId, nameId)) ?? NOTHING_FAILING;
}

/** The health of a service. @param monitorState as it was last known; 0 only if it was not monitored */
export function pastHealth(failing: Failing, monitorState: number): ServiceHealth & { led: number } {
  const health = { ...failing, statusHint: 0, monitorState };
  return { ...health, led: serviceLed(health) };
}

/** What is known of a host at a moment. */
export interface PastHost {
  exclusion: ExcludedReason | undefined;
  isDown: boolean;
  /** As it was recorded; null if nothing was recorded then. */
  status: number | null;
  lastmodified: number;
}

/** The columns of a host that say in which state it was. */
export function pastHostState(host: PastHost, services: ServiceTally) {
  const { exclusion, isDown, lastmodified } = host;
  const stopped = exclusion === "stopped";
  const heartbeat = isDown ? 0 : 1;
  // A user can set a silent host active, until it is found silent again.
  const isAwaited = host.status === HOST_STATUS.active;
  const status =
    exclusion === "ignored"
      ? HOST_STATUS.ignored
      : stopped || (isDown && !isAwaited)
        ? HOST_STATUS.inactive
        : HOST_STATUS.active;
  const health = { status, stopped, heartbeat, lastmodified };
  return {
    status,
    stopped: Number(stopped),
    heartbeat,
    led: hostLed(health, services),
    status_text: hostStatusText(health, services),
    services_total: services.total,
    services_ok: services.ok,
  };
}
