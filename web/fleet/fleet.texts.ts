/** All texts of the fleet screen. */
import { counted, formatNumber } from "../text/format.ts";

export const FLEET = {
  title: "Fleet",
  number: "Number",
  group: "Group",
  allGroups: "All groups",
  order: "Order",
  highest: "Highest first",
  lowest: "Lowest first",
  shown: "Hosts shown",
  top: "Hosts",
  topOf: (shown: number, total: number) =>
    shown === total ? counted(total, "host") : `${formatNumber(shown, 0)} of ${counted(total, "host")}`,
  none: "No host that reports has this number.",
  compare: (host: string) => `Compare ${host}`,
  compareFull: "At most 12 can be compared",
  distribution: "Distribution",
  distributionText: (hosts: number, lowest: string, highest: string, median: string) =>
    `${counted(hosts, "host")} from ${lowest} to ${highest}, median ${median}`,
  bin: (hosts: number, from: string, to: string) => `${counted(hosts, "host")} from ${from} to ${to}`,
  median: (value: string) => `Median ${value}`,
  far: "Far from their group",
  farHint:
    "Hosts at least 3.5 spreads from the median of their group; a spread is 1.48 times the median distance " +
    "from it, and at least 5 % of it.",
  farNone: "No host is far from its group.",
  columns: { host: "Host", value: "Value", usual: "Median of the group", score: "Spreads away" },
  usual: (median: string, group: string) => `${median} in ${group}`,
  withoutGroup: "hosts without a group",
  compared: "Compared",
  comparedHint: "Choose up to 12 hosts above to see them in one chart.",
  remove: (name: string) => `Remove ${name} from the chart`,
  clear: "Clear",
  values: "No values were recorded in this range.",
  ofService: (service: string, host: string) => `${service} on ${host}`,
} as const;
