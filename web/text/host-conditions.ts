/** The conditions of hosts, by which lists are filtered and sorted, and hosts are counted. */
import type { HostStatus, HostsSummary, LedCode } from "../api/types.ts";
import { IGNORED, INACTIVE, isReporting } from "./status-words.ts";

export interface HostCondition {
  /** Value of `state` in the address of the host list. */
  key: string;
  label: string;
  led: LedCode;
  has: (host: HostStatus) => boolean;
}

/** The six conditions of hosts, worst first, in the order of the API's summary. Each host is in exactly one. */
export const HOST_CONDITIONS: readonly HostCondition[] = [
  { key: "failed", label: "Down", led: 0, has: (host) => host.statusid !== IGNORED && host.heartbeat === 0 },
  {
    key: "services-failed",
    label: "All services failing",
    led: 0,
    has: (host) => isReporting(host) && host.led === 0,
  },
  {
    key: "some-failed",
    label: "Degraded",
    led: 1,
    has: (host) => isReporting(host) && host.led === 1,
  },
  { key: "ok", label: "OK", led: 2, has: (host) => isReporting(host) && host.led >= 2 },
  {
    key: "inactive",
    label: "Stopped",
    led: 3,
    has: (host) => host.statusid === INACTIVE && host.heartbeat === 1,
  },
  { key: "ignored", label: "Ignored", led: 3, has: (host) => host.statusid === IGNORED },
];

/** Whether a host is in a condition, or in one of the two that are problems. */
export function isInState(host: HostStatus, state: string): boolean {
  if (state === "problems") return isInState(host, "services-failed") || isInState(host, "some-failed");
  return HOST_CONDITIONS.find(({ key }) => key === state)?.has(host) ?? true;
}

/** Rank of a host in a list that has the worst first. */
export function severity(host: HostStatus): number {
  const at = HOST_CONDITIONS.findIndex((condition) => condition.has(host));
  return at < 0 ? HOST_CONDITIONS.length : at;
}

/** The number of hosts in each condition, for screen readers: "Hosts: 1 down, 8 ok"; "" without hosts. */
export function hostCountsText(summary: HostsSummary | null): string {
  const counts = HOST_CONDITIONS.flatMap(({ label }, place) => {
    const count = summary?.status[place]?.data ?? 0;
    return count > 0 ? [`${count} ${label.toLowerCase()}`] : [];
  });
  return counts.length > 0 ? `Hosts: ${counts.join(", ")}` : "";
}
