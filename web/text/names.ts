import { eventTypeNames, serviceTypeName } from "../../src/monit/event-types.ts";
import type { HostStatus, LedCode } from "../api/types.ts";

/** Names of the statuses that a light shows. */
export const LED_NAMES: Readonly<Record<LedCode, string>> = {
  0: "Failed",
  1: "Warning",
  2: "Ok",
  3: "No data",
};
export const LED_COLOURS: Readonly<Record<LedCode, string>> = {
  0: "red",
  1: "orange",
  2: "green",
  3: "gray",
};

export const EVENT_STATES = ["Success", "Error", "Change"] as const;
export const MONITOR_MODES = ["active", "passive", "manual"] as const;
export const ON_REBOOT = ["start", "no start", "last state"] as const;

const SERVICE_TYPE_COUNT = 9;
/** Names of the service types by code. */
export const SERVICE_TYPES = Array.from({ length: SERVICE_TYPE_COUNT }, (_, code) => serviceTypeName(code));

const EVENT_TYPE_BITS = 31;
/** Event types as pairs of bit and name. The filter of the event list takes the bits. */
export const EVENT_TYPES = Array.from({ length: EVENT_TYPE_BITS }, (_, place) => {
  const bit = 2 ** place;
  return [bit, eventTypeNames(bit)[0] ?? String(bit)] as const;
});

/** Ranges of the uptime report by code. */
export const UPTIME_RANGES: readonly (readonly [code: number, name: string])[] = [
  [0, "Today"],
  [5, "Week"],
  [6, "Month"],
  [7, "3 months"],
  [8, "6 months"],
  [9, "Year"],
  [12, "Custom"],
];

/** Text of a monitoring state, which is a set of bits. */
export function monitorStateName(state: number): string {
  if (state === 0) return "off";
  const parts = [(state & 2) !== 0 && "initializing", (state & 4) !== 0 && "waiting"].filter(
    (part) => part !== false,
  );
  return parts.length > 0 ? parts.join(", ") : "on";
}

export interface HostCondition {
  /** Value of `state` in the address of the host list. */
  key: string;
  /** Its label in the summary of the API. */
  label: string;
  led: LedCode;
  has: (host: HostStatus) => boolean;
}

const isFailed = (host: HostStatus) => host.statusid !== 2 && host.heartbeat === 0;
const isStopped = (host: HostStatus) => host.statusid === 1 && host.heartbeat === 1;
const reports = (host: HostStatus) => host.statusid !== 2 && !isFailed(host) && !isStopped(host);

/** The six conditions of hosts, worst first. Each host is in exactly one. */
export const HOST_CONDITIONS: readonly HostCondition[] = [
  { key: "failed", label: "failed", led: 0, has: isFailed },
  {
    key: "services-failed",
    label: "services failed",
    led: 0,
    has: (host) => reports(host) && host.led === 0,
  },
  {
    key: "some-failed",
    label: "some services failed/unmonitored",
    led: 1,
    has: (host) => reports(host) && host.led === 1,
  },
  { key: "ok", label: "ok", led: 2, has: (host) => reports(host) && host.led >= 2 },
  { key: "inactive", label: "inactive", led: 3, has: isStopped },
  { key: "ignored", label: "ignored", led: 3, has: (host) => host.statusid === 2 },
];

/** Rank of a host in a list that has the worst first. */
export function severity(host: HostStatus): number {
  const at = HOST_CONDITIONS.findIndex((condition) => condition.has(host));
  return at < 0 ? HOST_CONDITIONS.length : at;
}
