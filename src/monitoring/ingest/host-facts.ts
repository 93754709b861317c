/** Derives the columns of a host's row from a message. Pure, except that it encrypts passwords. */
import { isIPv6 } from "node:net";
import { CPU_PARTS } from "../../monit/cpu-usage.ts";
import { SERVICE_TYPE } from "../../monit/event-types.ts";
import { UNKNOWN_UPTIME } from "../../monit/message.ts";
import type { AgentMessage, AgentServer, AgentService } from "../../monit/message.types.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import { hostnameOf } from "../../platform/net/client-address.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { HostRow } from "../../platform/storage/schema.ts";

/** An agent's clock with at most this deviation, seconds, is treated as correct. */
export const CLOCK_TOLERANCE = 60;
/** Smallest change of an agent's clock offset that is applied, seconds. Jitter must not reorder events. */
const OFFSET_JITTER = 5;

/** Nothing that an agent reports is older: 2001-01-01, unix seconds. */
const FIRST_AGENT = 978_307_200;

export type HostChanges = Partial<HostRow>;

/** What a message tells of the agent's time. */
export interface AgentTimes {
  /** Unix seconds, by the agent's clock. */
  incarnation: number;
  /** Seconds since then; see `UNKNOWN_UPTIME`. */
  uptime: number;
  /** Newest check of a service, unix seconds by the agent's clock; 0: unknown. */
  checkedAt: number;
}

function timesOf({ incarnation, server, services }: AgentMessage): AgentTimes {
  let checkedAt = 0;
  for (const { collectedSec } of services) checkedAt = Math.max(checkedAt, collectedSec);
  return { incarnation, uptime: server.uptime, checkedAt };
}

function hasTimes({ uptime, checkedAt }: AgentTimes): boolean {
  return uptime !== UNKNOWN_UPTIME || checkedAt > 0;
}

/** The uptime of some agents does not advance, so the newest check counts too. */
function nowOf({ incarnation, uptime, checkedAt }: AgentTimes): number {
  const byUptime = incarnation + uptime;
  // The agent's clock was set back after its start. Its checks may still carry dates from before that.
  return uptime < UNKNOWN_UPTIME ? byUptime : Math.max(byUptime, checkedAt);
}

/**
 * Seconds to add to an agent's dates to convert them to Muster's clock.
 * @param receivedAt when the message was received, unix seconds
 * @param offsetBefore what was added until now
 */
export function offsetOf(times: AgentTimes, receivedAt: number, offsetBefore: number): number {
  const { incarnation, uptime } = times;
  if (!hasTimes(times)) return offsetBefore;
  const byUptime = receivedAt - incarnation - uptime;
  const tolerance = offsetBefore === 0 ? CLOCK_TOLERANCE : OFFSET_JITTER;
  // A single check that is dated in the future must not move the dates of all others.
  if (uptime > UNKNOWN_UPTIME && Math.abs(byUptime - offsetBefore) <= tolerance) return offsetBefore;
  const measured = receivedAt - nowOf(times);
  // This check comes first, as otherwise the offset of a clock that is wrong by about the tolerance would come and go.
  if (offsetBefore !== 0 && Math.abs(measured - offsetBefore) <= OFFSET_JITTER) return offsetBefore;
  return Math.abs(measured) <= CLOCK_TOLERANCE ? 0 : measured;
}

/** When the agent created the message, by its own clock, unix seconds. */
export function timeOf({ incarnation, server }: AgentMessage): number {
  return incarnation + server.uptime;
}

/** Whether the message has the agent's current time. */
export function hasTime(message: AgentMessage): boolean {
  return hasTimes(timesOf(message));
}

/** The agent's current time, unix seconds. */
export function agentNow(message: AgentMessage): number {
  return nowOf(timesOf(message));
}

/**
 * When something happened, by Muster's clock: never in the future, and not before agents existed. A machine without a
 * clock of its own begins in 1970 or 2000, until it is told the time.
 * @param collectedSec the same by the agent's clock
 * @param offset of the agent's clock, seconds
 */
export function dateOf(collectedSec: number, offset: number, receivedAt: number): number {
  const date = collectedSec + offset;
  return date < FIRST_AGENT ? receivedAt : Math.min(date, receivedAt);
}

/** `offsetOf` for the times of a message. */
export function clockOffset(message: AgentMessage, receivedAt: number, offsetBefore: number): number {
  return offsetOf(timesOf(message), receivedAt, offsetBefore);
}

function isWildcard(address: string): boolean {
  return ["", "0.0.0.0", "::", "*", "any"].includes(address.toLowerCase());
}

/** Normalizes an address as an HTTP client would: 2130706433 and 127.1 are 127.0.0.1. */
function normalized(address: string): string {
  const [host = ""] = address.split("%");
  const url = `http://${isIPv6(host) ? `[${host}]` : host}/`;
  return URL.canParse(url) ? hostnameOf(new URL(url)) : host;
}

function isLoopbackName(address: string): boolean {
  return /^(?:localhost\.?$|127\.|::1$|::ffff:7f[0-9a-f]{2}:)/.test(address);
}

/**
 * Whether an address is link-local. Such an address is ambiguous, and cloud providers serve machine secrets
 * there.
 */
function isLinkLocal(address: string): boolean {
  return /^(?:169\.254\.|fe[89ab][0-9a-f]:|::ffff:a9fe:)/.test(address);
}

/**
 * The address at which the agent can be reached. A wildcard is replaced by the source of the message. So is a
 * loopback or link-local address, which would name another machine here, unless the source is one too.
 * Administrators may set any address.
 */
export function agentAddress(reported: string, source: string): string {
  if (isWildcard(reported)) return source;
  const [claimed, from] = [normalized(reported), normalized(source)];
  const isOnlyValidThere =
    (isLoopbackName(claimed) && !isLoopbackName(from)) || (isLinkLocal(claimed) && !isLinkLocal(from));
  return isOnlyValidThere ? source : reported;
}

/** The columns about the agent's HTTP interface. What cannot be read stays as it was. */
function interfaceFacts(httpd: AgentServer["httpd"], source: string, before: HostRow | undefined) {
  const reported = before && before.incarnation !== 0 ? before : null;
  if (httpd === undefined && reported) {
    const { ipaddrin, portin, sslin } = reported;
    return { ipaddrin, portin, sslin };
  }
  if (!httpd) return { ipaddrin: agentAddress("", source), portin: -1, sslin: false };
  const { address, port: portin, ssl = reported?.sslin ?? false } = httpd;
  return { ipaddrin: agentAddress(address, source), portin, sslin: ssl };
}

/** The columns that describe the agent and its platform. */
export function reportedFacts(message: AgentMessage, source: string, receivedAt: number, before?: HostRow) {
  const { server, platform } = message;
  return {
    ...interfaceFacts(server.httpd, source, before),
    poll: server.poll,
    incarnation: message.incarnation,
    clockOffset: clockOffset(message, receivedAt, before?.clockOffset ?? 0),
    agentVersion: message.version,
    controlFile: server.controlFile,
    startDelay: server.startDelay,
    platformName: platform.name,
    platformRelease: platform.release,
    platformVersion: platform.version,
    platformMachine: platform.machine,
    cpuCount: platform.cpuCount,
    memoryKb: platform.memoryKb,
    swapKb: platform.swapKb,
    unreadable: message.unreadable === null ? "" : JSON.stringify(message.unreadable),
  } satisfies HostChanges;
}

/** The entries of `facts` that differ from the row. */
export function differences(row: HostRow, facts: HostChanges): HostChanges {
  const changed = (Object.keys(facts) as (keyof HostRow)[]).filter((key) => row[key] !== facts[key]);
  return Object.fromEntries(changed.map((key) => [key, facts[key]]));
}

/** Those of the agent's address, port and TLS in which a message differs from the row. The message may lack them. */
export function otherAddress(row: HostRow, { server: { httpd } }: AgentMessage, source: string): HostChanges {
  const ipaddrin = agentAddress(httpd?.address ?? "", source);
  if (!httpd) return differences(row, { ipaddrin });
  return differences(row, { ipaddrin, portin: httpd.port, sslin: httpd.ssl ?? row.sslin });
}

/** The columns of the agent's address that differ. */
function movedColumns(facts: HostChanges) {
  return (["ipaddrin", "portin", "sslin"] as const).filter((key) => key in facts);
}

/**
 * The conflict caused by a message that reports another address for the agent while an administrator's credentials
 * are set; null if there is none.
 * @param facts the reported columns that differ from the row
 */
export function conflictOf(row: HostRow, facts: HostChanges): string | null {
  const moved = movedColumns(facts);
  if (!row.credentialsSetByAdmin || moved.length === 0) return null;
  return `The agent now reports another ${moved.join(", ")}; confirm the host's settings to act on it`;
}

/**
 * Adopts the credentials that the agent reports, unless an administrator has set others. With administrator
 * credentials, a message that reports a different address or port sets a conflict instead. Otherwise anyone
 * with the collector's password could redirect those credentials to a machine of their own.
 */
export function credentialChanges(
  host: { row: HostRow; credentialsSignature: bigint | null },
  message: AgentMessage,
  facts: HostChanges,
  box: SecretBox,
): HostChanges {
  const { row } = host;
  if (row.credentialsSetByAdmin) {
    const conflict = conflictOf(row, facts);
    return conflict === null ? {} : { conflict };
  }
  if (message.server.credentials === undefined) {
    if (movedColumns(facts).length === 0 || row.agentuser + row.agentpassword === "") return {};
    // Credentials reported for one address must not be sent to another. The next message that can be read has them
    // again.
    host.credentialsSignature = null;
    return { agentuser: "", agentpassword: "" };
  }
  const username = message.server.credentials?.username ?? "";
  const password = message.server.credentials?.password ?? "";
  // Most messages repeat them, and opening the sealed password costs as much as half of parsing the document.
  const signature = BigInt(Bun.hash(password, BigInt(Bun.hash(username))));
  if (host.credentialsSignature === signature) return {};
  host.credentialsSignature = signature;
  if (row.agentuser === username && box.isSealOf(row.agentpassword, password)) return {};
  return { agentuser: username, agentpassword: box.seal(password) };
}

/** The statistics of the system service from which usage is calculated. */
export const USAGE_TYPES: readonly number[] = [...CPU_PARTS, STATISTIC.memoryPercent.code];

/** Usage of the CPU and memory of a host, percent; -1 if unknown. */
export type Usage = Record<"cpu" | "mem", number>;

/** Whether this is the system service, which describes the whole host. */
export function isSystem(service: AgentService): boolean {
  return service.type === SERVICE_TYPE.system;
}

/** The usage figure that a statistic of the system service contributes to; null if none. */
export function usageKind(type: number): keyof Usage | null {
  if (CPU_PARTS.includes(type)) return "cpu";
  return type === STATISTIC.memoryPercent.code ? "mem" : null;
}

/** CPU usage is the sum of its parts; memory usage is a single value. In percent, -1 if unknown. */
export function usageOf(cpuValues: Iterable<number>, memValues: Iterable<number>): Usage {
  let cpu = -1;
  let mem = -1;
  for (const value of cpuValues) if (value >= 0) cpu = Math.min(100, Math.max(cpu, 0) + value);
  for (const value of memValues) if (value >= 0) mem = value;
  return { cpu: Math.round(cpu * 10) / 10, mem };
}

/**
 * CPU and memory usage of the whole host; -1 if its agent has no system service.
 * @returns null if the system service may be among the services that could not be read
 */
export function systemUsage(message: AgentMessage): Usage | null {
  const values: Record<keyof Usage, number[]> = { cpu: [], mem: [] };
  const system = message.services.find(isSystem);
  if (!system && message.unreadServices.length > 0) return null;
  for (const { type, value } of system?.statistics ?? []) {
    const kind = usageKind(type);
    if (kind !== null) values[kind].push(value);
  }
  return usageOf(values.cpu, values.mem);
}
