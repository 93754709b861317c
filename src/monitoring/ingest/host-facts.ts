/** What a message says of its host, as columns of the host's row. Pure, except that passwords are sealed. */
import { isIPv6 } from "node:net";
import { UNKNOWN_UPTIME } from "../../monit/message.ts";
import type { AgentMessage, AgentService } from "../../monit/message.types.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { HostRow } from "../../platform/storage/schema.ts";

/** An agent's clock that is off by at most this many seconds is taken as right. */
export const CLOCK_TOLERANCE = 60;
/** The offset in use is kept while the measured one differs by no more, seconds: events must not jitter past each other. */
const OFFSET_JITTER = 5;

export type HostChanges = Partial<HostRow>;

/** Seconds to add to the agent's dates, so that they are on our clock. @param agentNow the newest of its dates */
export function offsetOf(agentNow: number, receivedAt: number, offsetBefore: number): number {
  const measured = receivedAt - agentNow;
  if (Math.abs(measured) <= CLOCK_TOLERANCE) return 0;
  return offsetBefore !== 0 && Math.abs(measured - offsetBefore) <= OFFSET_JITTER ? offsetBefore : measured;
}

/** When the agent made the message, by its own clock, unix seconds. */
export function timeOf({ incarnation, server }: AgentMessage): number {
  return incarnation + server.uptime;
}

/** The agent's clock, unix seconds: some agents' uptime stands still, so the newest check counts too. */
export function agentNow(message: AgentMessage): number {
  let now = timeOf(message);
  // The clock was set back since the agent started, and its checks may still be dated before that.
  if (message.server.uptime < UNKNOWN_UPTIME) return now;
  for (const service of message.services) now = Math.max(now, service.collectedSec);
  return now;
}

export function clockOffset(message: AgentMessage, receivedAt: number, offsetBefore: number): number {
  return offsetOf(agentNow(message), receivedAt, offsetBefore);
}

function isWildcard(address: string): boolean {
  return ["", "0.0.0.0", "::", "*", "any"].includes(address.toLowerCase());
}

/** An address as a request to it would understand it: 2130706433 and 127.1 are 127.0.0.1. */
function understood(address: string): string {
  const [host = ""] = address.split("%");
  const url = `http://${isIPv6(host) ? `[${host}]` : host}/`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : host;
}

function isLoopback(address: string): boolean {
  return /^(?:localhost\.?$|127\.|::1$|::ffff:7f[0-9a-f]{2}:)/.test(address);
}

/** Addresses that mean something else on every network; clouds answer there for their machines' secrets. */
function isLinkLocal(address: string): boolean {
  return /^(?:169\.254\.|fe[89ab][0-9a-f]:|::ffff:a9fe:)/.test(address);
}

/**
 * Where the agent can be reached: its own word, unless that names every address, or one that means another machine when
 * it is not used from the agent's own place. An administrator may set any address.
 */
export function agentAddress(reported: string, source: string): string {
  if (isWildcard(reported)) return source;
  const [told, from] = [understood(reported), understood(source)];
  const isOnlyTrueThere =
    (isLoopback(told) && !isLoopback(from)) || (isLinkLocal(told) && !isLinkLocal(from));
  return isOnlyTrueThere ? source : reported;
}

/** What the agent reports of itself and its platform. */
export function reportedFacts(message: AgentMessage, source: string, receivedAt: number, before?: HostRow) {
  const { server, platform } = message;
  return {
    ipaddrin: agentAddress(server.httpd?.address ?? "", source),
    portin: server.httpd?.port ?? -1,
    sslin: server.httpd?.ssl ?? false,
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

/** Those of `facts` that differ from the row. */
export function differences(row: HostRow, facts: HostChanges): HostChanges {
  const changed = (Object.keys(facts) as (keyof HostRow)[]).filter((key) => row[key] !== facts[key]);
  return Object.fromEntries(changed.map((key) => [key, facts[key]]));
}

/**
 * The agent's credentials, while no administrator has set others. Afterwards a message that names another place to
 * reach the agent is a conflict: whoever knows the collector's password could otherwise have the administrator's
 * credentials sent there.
 */
export function credentialChanges(
  row: HostRow,
  message: AgentMessage,
  facts: HostChanges,
  box: SecretBox,
): HostChanges {
  if (row.credentialsSetByAdmin) {
    const moved = (["ipaddrin", "portin", "sslin"] as const).filter((key) => key in facts);
    return moved.length === 0
      ? {}
      : {
          conflict: `The agent now reports another ${moved.join(", ")}; confirm the host's settings to act on it`,
        };
  }
  const username = message.server.credentials?.username ?? "";
  const password = message.server.credentials?.password ?? "";
  if (row.agentuser === username && box.open(row.agentpassword) === password) return {};
  return { agentuser: username, agentpassword: box.seal(password) };
}

const SYSTEM = 5;
const CPU_PERCENT_TYPES: ReadonlySet<number> = new Set(
  [
    STATISTIC.cpuUser,
    STATISTIC.cpuSystem,
    STATISTIC.cpuWait,
    STATISTIC.cpuNice,
    STATISTIC.cpuHardIrq,
    STATISTIC.cpuSoftIrq,
    STATISTIC.cpuSteal,
    STATISTIC.cpuGuest,
    STATISTIC.cpuGuestNice,
  ].map(({ code }) => code),
);

export type Usage = Record<"cpu" | "mem", number>;

/** The service that speaks of the whole host. */
export function isSystem(service: AgentService): boolean {
  return service.type === SYSTEM;
}

/** What a statistic of the system service is a part of. */
export function usageKind(type: number): keyof Usage | null {
  if (CPU_PERCENT_TYPES.has(type)) return "cpu";
  return type === STATISTIC.memoryPercent.code ? "mem" : null;
}

/** CPU usage is the sum of its kinds, memory usage is one number. In percent; -1 where there is no number yet. */
export function usageOf(cpuValues: Iterable<number>, memValues: Iterable<number>): Usage {
  let cpu = -1;
  let mem = -1;
  for (const value of cpuValues) if (value >= 0) cpu = Math.min(100, Math.max(cpu, 0) + value);
  for (const value of memValues) if (value >= 0) mem = value;
  return { cpu: Math.round(cpu * 10) / 10, mem };
}

/**
 * CPU and memory usage of the whole host; -1 also where its agent has no system service.
 * @returns null when the system service may be among those that could not be read
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
