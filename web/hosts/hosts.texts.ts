/** All texts of the list of hosts. */
import { counted, formatNumber, formatSpan } from "../text/format.ts";

export const HOSTS = {
  title: "Hosts",
  caption: "Hosts",
  search: "Search",
  searchHint: "Name, group or tag",
  state: "State",
  anyState: "Any state",
  group: "Group",
  tagsHint: "env=prod, role",
  sections: "Group by host group",
  dense: "Compact rows",
  clear: "Clear filter",
  change: "Bulk edit",
  expected: "Expected hosts",
  deleted: "Deleted hosts",
  none: "No hosts have reported yet.",
  noneMatches: "No host matches the filter.",
  withoutGroup: "No group",
  columns: {
    led: "State",
    name: "Host",
    cpu: "CPU",
    mem: "Memory",
    disk: "Disk",
    load: "Load",
    beats: "Last 24 hours",
    seen: "Last report",
  },
  byState: "Hosts by state",
  tiles: { down: "Down", problems: "Problems", ok: "OK" },
  quiet: {
    stopped: (count: number) => `${formatNumber(count, 0)} stopped`,
    ignored: (count: number) => `${formatNumber(count, 0)} ignored`,
  },
  /** Where there is no room for the whole word. */
  memoryShort: "Mem",
  noValue: "No value",
  count: (shown: number, total: number) =>
    shown === total ? counted(total, "host") : `${formatNumber(shown, 0)} of ${counted(total, "host")}`,
  announced: (count: string) => `${count} shown`,
  fullest: (name: string) => `Fullest filesystem: ${name}`,
  more: (count: number) => `and ${count} more`,
  failingFor: (seconds: number) => `for ${formatSpan(seconds)}`,
  down: (count: number) => `${count} down`,
  problems: (count: number) => counted(count, "problem"),
} as const;
