/** All texts of the list of expected hosts. */
import { counted } from "../text/format.ts";

export const EXPECTED = {
  title: "Expected hosts",
  hosts: "Hosts",
  intro:
    "Machines that have not reported yet. When an agent with exactly this name first reports, its host gets these groups, tags and settings.",
  none: "No hosts are expected. Paste the names of your machines to see which of them have not come.",
  add: "Expect hosts",
  columns: {
    name: "Name",
    state: "State",
    groups: "Groups",
    tags: "Tags",
    since: "Expected",
    control: "Actions",
  },
  states: { waiting: "not yet", arrived: "has arrived", ambiguous: "ambiguous" },
  more: (count: number) => `${counted(count, "more host")}: muster expected lists all of them.`,
  forget: "Remove",
  forgetOf: (name: string) => `Expect ${name} no longer`,
  forgotten: (name: string) => `${name} is expected no longer`,

  list: "List",
  listHint:
    "Names, each on a line; CSV with the columns hostname, groups, tags, description and skew; or an inventory of Ansible.",
  fieldGroups: "Groups of all of them",
  addGroup: "Add a host group",
  noGroup: "No host groups",
  fieldTags: "Tags of all of them",
  createGroups: "Create host groups of the list that do not exist",
  preview: "Preview",
  previewOf: "What will happen",
  outcomes: {
    add: "will be expected",
    expected: "expected already",
    reports: "report already",
    ambiguous: "ambiguous",
    wrong: "wrong",
  },
  line: (line: number, hostname: string, reason: string) => `Line ${line}, ${hostname}: ${reason}`,
  unknownGroups: (names: string) => `There are no such host groups: ${names}`,
  added: "The list was imported",
} as const;
