/** All texts of the list of expected hosts. */
import { counted } from "../text/format.ts";

export const EXPECTED = {
  title: "Expected hosts",
  hosts: "Hosts",
  intro:
    "Machines that have not reported yet. When an agent with exactly this name first reports, its host gets these groups, tags and settings.",
  none: "No expected hosts. Paste the names of your machines to see which have not reported yet.",
  add: "Add expected hosts",
  columns: {
    name: "Name",
    state: "State",
    groups: "Groups",
    tags: "Tags",
    since: "Expected",
  },
  states: { waiting: "not reported yet", arrived: "reported", ambiguous: "ambiguous" },
  more: (count: number) => `${counted(count, "more host")}; “muster expected” lists all of them.`,
  forget: "Remove",
  forgetOf: (name: string) => `Remove ${name}`,
  forgotten: (name: string) => `${name} removed`,

  list: "List",
  listHint:
    "One name per line, CSV with the columns hostname, groups, tags, description and skew, or an Ansible inventory.",
  fieldGroups: "Host groups for all",
  addGroup: "Add a host group",
  noGroup: "No host groups",
  fieldTags: "Tags for all",
  createGroups: "Create the host groups that do not exist yet",
  preview: "Preview",
  previewOf: "What will happen",
  outcomes: {
    add: "will be added",
    expected: "already expected",
    reports: "already reporting",
    ambiguous: "ambiguous",
    wrong: "wrong",
  },
  line: (line: number, hostname: string, reason: string) => `Line ${line}, ${hostname}: ${reason}`,
  ignoredColumns: (names: string) => `Ignored columns: ${names}`,
  unknownGroups: (names: string) => `Unknown host groups: ${names}`,
  added: "List imported",
} as const;
