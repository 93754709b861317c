/** The words for hosts and services on public pages: the same few everywhere, without terms of the agent. */
import {
  failingClasses,
  HOST_STATUS,
  type HostHealth,
  LED,
  LIMIT_LEVEL,
  type ServiceHealth,
} from "../../monitoring/health/health.ts";
import type { Muted } from "../../monitoring/health/muted.ts";

/** Whether the host reports, so that the last state of its services is the present one. */
export function isReporting({ heartbeat, stopped, status }: HostHealth): boolean {
  return heartbeat === 1 && !stopped && status !== HOST_STATUS.ignored;
}

/** A time as text for the public. @param at unix seconds */
export type TimeText = (at: number) => string;

/** The state of a host in words. If several apply, it is the strongest: ignored, then stopped, then down. */
export function hostWords(
  host: HostHealth & { servicesTotal: number; servicesOk: number },
  timeText: TimeText,
): string {
  const { servicesTotal: total, servicesOk: ok } = host;
  if (host.status === HOST_STATUS.ignored) return "Ignored";
  if (host.stopped) return "Stopped";
  if (host.heartbeat === 0) return `Down, no report since ${timeText(host.lastmodified)}`;
  if (total === 0) return "No services";
  if (ok === total) return total === 1 ? "OK (1 service)" : `All OK (${total} services)`;
  return `${ok} of ${total} services OK`;
}

/**
 * Why there are no notifications, or that someone is working on it, in words for the public: without names and notes
 * of users.
 */
export function handledWords(muted: Muted | null, acknowledged: boolean, timeText: TimeText): string {
  if (muted) return `maintenance until ${timeText(muted.until)}`;
  return acknowledged ? "acknowledged" : "";
}

/** The state of a service in words, of a host that reports. */
export function serviceWords(service: ServiceHealth & { led: number }): string {
  if (service.monitorState === 0) return "Not monitored";
  if (failingClasses(service) !== 0 || service.limitLevel === LIMIT_LEVEL.critical) return "Failing";
  if (service.limitLevel === LIMIT_LEVEL.warning) return "Warning";
  return service.led === LED.green ? "OK" : "Starting";
}
