/** Derives the LED and the status text of services and hosts. Pure. */
import { eventTypeNames } from "../../monit/event-types.ts";
import { dateText } from "../../platform/date-text.ts";

export const LED = { red: 0, orange: 1, green: 2, gray: 3 } as const;
export type LedCode = (typeof LED)[keyof typeof LED];

export const HOST_STATUS = { active: 0, inactive: 1, ignored: 2 } as const;
/** By code. */
export const HOST_STATUS_NAMES = ["Active", "Inactive", "Ignored"] as const;

/** Bits of a service's monitorstate. A service with a schedule is on, and waits whenever it is not its turn. */
export const MONITOR_ON = 1;
const MONITOR_INITIALIZING = 2;
const MONITOR_WAITING = 4;

/** The columns of a service that decide its LED and text. */
export interface ServiceHealth {
  monitorState: number;
  status: number;
  statusHint: number;
  /** The highest level of the limits that the service exceeds: 0 none, 1 warning, 2 critical. */
  limitLevel: number;
}

export const LIMIT_LEVEL = { none: 0, warning: 1, critical: 2 } as const;
export type LimitLevel = (typeof LIMIT_LEVEL)[keyof typeof LIMIT_LEVEL];

/** Whether a monitored service has not been checked yet: if it is on and waits, its last check still holds. */
function isUnchecked({ monitorState }: ServiceHealth): boolean {
  if ((monitorState & MONITOR_INITIALIZING) !== 0) return true;
  return (monitorState & MONITOR_WAITING) !== 0 && (monitorState & MONITOR_ON) === 0;
}

/**
 * Whether two monitoring states differ only in whether a scheduled check waits. The LED and the text do not show that.
 */
export function isOtherTurn(before: number, monitorState: number): boolean {
  return (before & monitorState & MONITOR_ON) !== 0 && (before ^ monitorState) === MONITOR_WAITING;
}

/** The event types that are failing. A mere change sets the same bit in `status` and `statusHint`. */
export function failingClasses(service: Pick<ServiceHealth, "status" | "statusHint">): number {
  return service.status & ~service.statusHint;
}

/**
 * Red: fails or exceeds a critical limit. Orange: exceeds a warning, or has not been checked yet. Gray: not monitored.
 */
export function serviceLed(service: ServiceHealth): LedCode {
  if (service.monitorState === 0) return LED.gray;
  if (failingClasses(service) !== 0 || service.limitLevel === LIMIT_LEVEL.critical) return LED.red;
  if (service.limitLevel === LIMIT_LEVEL.warning) return LED.orange;
  return isUnchecked(service) ? LED.orange : LED.green;
}

/**
 * The text of a service: the names of what fails; without failures, the exceeded limit, or else the state of
 * monitoring.
 */
export function serviceStatusText(service: ServiceHealth): string {
  if (service.monitorState === 0) return "Not monitored";
  const failing = failingClasses(service);
  if (failing !== 0) return eventTypeNames(failing).join(", ") || "Failed";
  if (service.limitLevel !== LIMIT_LEVEL.none)
    return service.limitLevel === LIMIT_LEVEL.critical
      ? "Limit exceeded: critical"
      : "Limit exceeded: warning";
  if (!isUnchecked(service)) return "Ok";
  return service.monitorState & MONITOR_INITIALIZING ? "Initializing" : "Waiting";
}

/** The columns of a host that decide, with its services, its LED and text. */
export interface HostHealth {
  status: number;
  stopped: boolean;
  heartbeat: number;
  lastmodified: number;
}

/** The number of a host's services per LED. */
export interface ServiceTally {
  total: number;
  ok: number;
  failing: number;
  unmonitored: number;
}

/** Counts services by their LEDs. Orange ones are in the total only. */
export function tally(leds: Iterable<number>): ServiceTally {
  const counts: ServiceTally = { total: 0, ok: 0, failing: 0, unmonitored: 0 };
  for (const led of leds) {
    counts.total++;
    if (led === LED.green) counts.ok++;
    if (led === LED.red) counts.failing++;
    if (led === LED.gray) counts.unmonitored++;
  }
  return counts;
}

/**
 * Gray: ignored, stopped, or without monitored services. Red: down, or every monitored service fails. Green: all
 * services are green. Orange: any other mixture.
 */
export function hostLed(host: HostHealth, services: ServiceTally): LedCode {
  if (host.status === HOST_STATUS.ignored || host.stopped) return LED.gray;
  if (host.heartbeat === 0) return LED.red;
  const monitored = services.total - services.unmonitored;
  if (monitored === 0) return LED.gray;
  if (services.failing === monitored) return LED.red;
  return services.ok === services.total ? LED.green : LED.orange;
}

/** The text of a host. If the host is down, it names the last report by its absolute time, since the text is stored. */
export function hostStatusText(host: HostHealth, services: ServiceTally): string {
  if (host.status === HOST_STATUS.ignored) return "Ignored";
  if (host.stopped) return "Stopped";
  if (host.heartbeat === 0) return `No report from Monit. Last report was ${dateText(host.lastmodified)}`;
  if (services.total === 0) return "No services";
  return services.ok === services.total
    ? `All ${services.total} services are available`
    : `${services.ok} out of ${services.total} services are available`;
}

/** The columns of a host that follow from its state and the LEDs of its services. */
export function healthColumns(host: HostHealth, leds: Iterable<number>) {
  const services = tally(leds);
  return {
    servicesTotal: services.total,
    servicesOk: services.ok,
    led: hostLed(host, services),
    statusText: hostStatusText(host, services),
  };
}
