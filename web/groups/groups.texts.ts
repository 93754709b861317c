/** All texts of the screen of groups. */
import { counted } from "../text/format.ts";

export const GROUPS = {
  title: "Groups",
  caption: "Groups of hosts",
  newGroup: "New group",
  none: "No group yet. Groups put hosts together for filters; agents can also ask to be in one.",
  columns: { name: "Group", hosts: "Hosts", control: "Actions" },
  name: "Name",
  create: "Create",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  hosts: "Hosts",
  hostsOf: (name: string) => `Hosts of ${name}`,
  membersOf: (name: string) => `Hosts in ${name}`,
  search: "Search",
  chosen: (count: number) => `${counted(count, "host")} chosen`,
  save: "Save",
  delete: "Delete",
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteVerb: "Delete group",
  deleteHint: (name: string, hosts: number) =>
    `The group ${name} and its list of ${counted(hosts, "host")} are lost. The hosts themselves stay.`,
} as const;
