import type { GroupList, HostStatus, HostsSummary, LedCode } from "../api/types.ts";

/** Names of the statuses that a light shows. */
export const LED_NAMES: Readonly<Record<LedCode, string>> = {
  0: "Failing",
  1: "Warning",
  2: "OK",
  3: "No data",
};
export const LED_COLOURS: Readonly<Record<LedCode, string>> = {
  0: "red",
  1: "orange",
  2: "green",
  3: "gray",
};

/** By state code. An error is called failing only while it is active. */
export const EVENT_STATES = ["OK", "Failing", "Changed"] as const;
/** The state of an error that is over. */
export const RESOLVED = "Resolved";

export interface HostCondition {
  /** Value of `state` in the address of the host list. */
  key: string;
  label: string;
  led: LedCode;
  has: (host: HostStatus) => boolean;
}

const isFailed = (host: HostStatus) => host.statusid !== 2 && host.heartbeat === 0;
const isStopped = (host: HostStatus) => host.statusid === 1 && host.heartbeat === 1;
const reports = (host: HostStatus) => host.statusid !== 2 && !isFailed(host) && !isStopped(host);

/** The six conditions of hosts, worst first, in the order of the API's summary. Each host is in exactly one. */
export const HOST_CONDITIONS: readonly HostCondition[] = [
  { key: "failed", label: "Down", led: 0, has: isFailed },
  {
    key: "services-failed",
    label: "All services failing",
    led: 0,
    has: (host) => reports(host) && host.led === 0,
  },
  {
    key: "some-failed",
    label: "Degraded",
    led: 1,
    has: (host) => reports(host) && host.led === 1,
  },
  { key: "ok", label: "OK", led: 2, has: (host) => reports(host) && host.led >= 2 },
  { key: "inactive", label: "Stopped", led: 3, has: isStopped },
  { key: "ignored", label: "Ignored", led: 3, has: (host) => host.statusid === 2 },
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

/** Names of host groups by id; "#" and the id of one that is not in the list. */
export function groupNameIn({ groups }: GroupList): (id: number) => string {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? `#${id}`;
}
