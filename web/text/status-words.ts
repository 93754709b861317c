/** The state of hosts and services in the words of the UI: Down, Failing, Warning, OK; Resolved for ended failures. */
import { SERVICE_TYPE } from "../../src/monit/event-types.ts";
import type { HostStatus, LedCode, Service } from "../api/types.ts";
import { counted, formatClockOrDate } from "./format.ts";
import { LED_NAMES } from "./names.ts";

/** The fields on which the state of a host depends. */
export type HostState = Pick<
  HostStatus,
  "led" | "statusid" | "heartbeat" | "lastmodified" | "services" | "servicesok"
>;

const FAILING: LedCode = 0;
const OK: LedCode = 2;
const GRAY: LedCode = 3;
/** Values of `statusid`. */
export const IGNORED = 2;
export const INACTIVE = 1;

/** Whether the host sends reports. Otherwise the state of its services is unknown. */
export function isReporting({ statusid, heartbeat }: Pick<HostState, "statusid" | "heartbeat">): boolean {
  return statusid !== IGNORED && statusid !== INACTIVE && heartbeat === 1;
}

/** The state of a host in a few words: "All OK (6 services)", "No report since 14:05". */
export function hostWords(
  { led, statusid, heartbeat, lastmodified, services, servicesok }: HostState,
  now: number,
) {
  if (statusid === IGNORED) return "Ignored";
  if (heartbeat === 0) return `No report since ${formatClockOrDate(lastmodified, now)}`;
  if (statusid === INACTIVE) return "Stopped";
  if (services === 0) return "No services";
  if (led === GRAY) return "No service is monitored";
  if (services === 1 && servicesok === 0) return "Its only service is not OK";
  if (led === FAILING) return "All services failing";
  if (servicesok === services) return services === 1 ? "OK (1 service)" : `All OK (${services} services)`;
  return `${services - servicesok} of ${counted(services, "service")} not OK`;
}

/** The light of a host. One that reports and has no services is OK, as the counts say. */
export function hostLed(host: Pick<HostStatus, "led" | "statusid" | "heartbeat" | "services">): LedCode {
  return isReporting(host) && host.services === 0 ? OK : host.led;
}

/** The text for the light of a host: "Down" if it does not report. */
export function hostLedText(host: Pick<HostStatus, "led" | "statusid" | "heartbeat" | "services">): string {
  return host.led === 0 && host.heartbeat === 0 ? "Down" : LED_NAMES[hostLed(host)];
}

/** Failures by the name of their class, if their message is not known. */
const FAILURES: Readonly<Record<string, string>> = {
  Checksum: "checksum changed",
  Resource: "resource limit exceeded",
  Timeout: "timed out",
  Timestamp: "timestamp out of range",
  Size: "size out of range",
  Connection: "connection failed",
  Permission: "wrong permissions",
  UID: "wrong owner",
  GID: "wrong group",
  Nonexist: "process not running",
  Invalid: "wrong type",
  Data: "no data",
  Exec: "could not be executed",
  Fsflags: "filesystem flags changed",
  ICMP: "no reply to ping",
  Content: "content matched",
  PID: "process id changed",
  PPID: "parent process changed",
  Status: "program failed",
  Uptime: "uptime out of range",
  Link: "link down",
  Exist: "exists, but should not",
};

/** The classes of a failure in plain words. */
function failureWords({ status, typeid }: Pick<Service, "status" | "typeid">): string {
  const words = status.split(", ").map((name) => {
    if (name === "Nonexist" && typeid !== SERVICE_TYPE.process) return "does not exist";
    return FAILURES[name] ?? name;
  });
  return words.join(", ");
}

export interface ServiceWords {
  led: LedCode;
  text: string;
}

/**
 * The state of a service. If its host does not report, the last known state may be out of date.
 * @param message of its active problem, if it is known
 */
export function serviceWords(
  service: Pick<Service, "led" | "status" | "typeid" | "monitorstate">,
  reporting: boolean,
  message?: string,
): ServiceWords {
  const { led, status } = service;
  if (!reporting) return { led: 3, text: "Unknown" };
  if (led === 0) return { led, text: message || failureWords(service) };
  return { led, text: status === "Ok" ? "OK" : status };
}
