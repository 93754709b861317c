import type { HostGroups, HostStatus } from "../api/types.ts";
import { severity } from "../text/host-conditions.ts";

export interface HostSection {
  /** Id of the group; 0 for hosts without a group. */
  id: number;
  name: string;
  hosts: readonly HostStatus[];
  /** Numbers of hosts that are down, and of hosts with failing services. */
  down: number;
  problems: number;
}

export type HostListRow = { host: HostStatus; section: number } | { section: HostSection; open: boolean };

/** Ranks of `severity`. */
const DOWN = 0;
const LAST_PROBLEM = 2;

function sectionOf(id: number, name: string, hosts: readonly HostStatus[]): HostSection {
  const ranks = hosts.map(severity);
  return {
    id,
    name,
    hosts,
    down: ranks.filter((rank) => rank === DOWN).length,
    problems: ranks.filter((rank) => rank > DOWN && rank <= LAST_PROBLEM).length,
  };
}

/** The hosts by group, in the same order. A host in several groups is in each. Empty groups are left out. */
export function sectionsOf(
  hosts: readonly HostStatus[],
  groups: HostGroups["records"],
  withoutGroup: string,
): HostSection[] {
  const grouped = new Set(groups.flatMap((group) => group.hosts));
  const sections = groups.map(({ id, name, hosts: ids }) => {
    const members = new Set(ids);
    return sectionOf(
      id,
      name,
      hosts.filter((host) => members.has(host.id)),
    );
  });
  const ungrouped = hosts.filter(({ id }) => !grouped.has(id));
  return [...sections, sectionOf(0, withoutGroup, ungrouped)].filter((section) => section.hosts.length > 0);
}

/** The rows of a list in sections, without the hosts in closed sections. */
export function rowsOf(sections: readonly HostSection[], closed: ReadonlySet<number>): HostListRow[] {
  return sections.flatMap((section) => {
    const open = !closed.has(section.id);
    const hosts = open ? section.hosts.map((host) => ({ host, section: section.id })) : [];
    return [{ section, open }, ...hosts];
  });
}
