/** All texts of the screen of groups. */
import { counted, formatNumber } from "../text/format.ts";

export const GROUPS = {
  title: "Groups",
  caption: "Host groups",
  newGroup: "New group",
  none: "No groups yet. Groups collect hosts for filters and access; agents can also name the groups they belong to.",
  columns: { name: "Group", hosts: "Hosts", target: "Target" },
  name: "Name",
  create: "Create",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  hosts: "Hosts",
  hostsOf: (name: string) => `Hosts of ${name}`,
  membersOf: (name: string) => `Hosts in ${name}`,
  target: (percent: number) => `${formatNumber(percent, 3)} %`,
  search: "Search",
  chosen: (count: number) => `${counted(count, "host")} chosen`,
  save: "Save",
  deleteVerb: "Delete group",
  deleteHint: (name: string, hosts: number) =>
    `The group ${name} (${counted(hosts, "host")}) is deleted. The hosts are kept.`,
} as const;
