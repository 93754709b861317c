/** Names of codes of services and events, which the first screens do not show. */
import { EVENT_TYPE_NAMES, SERVICE_TYPE_NAMES } from "../../src/monit/event-types.ts";

export const MONITOR_MODES = ["active", "passive", "manual"] as const;
export const ON_REBOOT = ["start", "no start", "last state"] as const;

/** Names of the service types by code. */
export const SERVICE_TYPES = SERVICE_TYPE_NAMES;

/** Event types as pairs of bit and name. The filter of the event list takes the bits. */
export const EVENT_TYPES = EVENT_TYPE_NAMES;

/** Text of a monitoring state, which is a set of bits. */
export function monitorStateName(state: number): string {
  if (state === 0) return "off";
  const parts = [(state & 2) !== 0 && "initializing", (state & 4) !== 0 && "waiting"].filter(
    (part) => part !== false,
  );
  return parts.length > 0 ? parts.join(", ") : "on";
}
