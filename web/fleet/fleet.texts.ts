/** All texts of the fleet screen. */
import { counted, formatNumber } from "../text/format.ts";

export const FLEET = {
  title: "Fleet",
  number: "Metric",
  group: "Group",
  order: "Order",
  highest: "Highest first",
  lowest: "Lowest first",
  shown: "Hosts shown",
  topOf: (shown: number, total: number) =>
    shown === total ? counted(total, "host") : `${formatNumber(shown, 0)} of ${counted(total, "host")}`,
  none: "No reporting host has this metric.",
  compare: (host: string) => `Compare ${host}`,
  compareFull: "You can compare up to 12",
  distribution: "Distribution",
  distributionText: (hosts: number, lowest: string, highest: string, median: string) =>
    `${counted(hosts, "host")} from ${lowest} to ${highest}, median ${median}`,
  bin: (hosts: number, from: string, to: string) => `${counted(hosts, "host")} from ${from} to ${to}`,
  median: (value: string) => `Median ${value}`,
  far: "Outliers",
  farHint:
    "Hosts at least 3.5 spreads from the median of their group. A spread is 1.48 times the median absolute " +
    "deviation, and at least 5 % of the median.",
  farNone: "No outliers.",
  columns: { host: "Host", value: "Value", usual: "Group median", score: "Spreads away" },
  usual: (median: string, group: string) => `${median} in ${group}`,
  withoutGroup: "hosts without a group",
  compared: "Compared",
  comparedHint: "Choose up to 12 hosts above to see them in one chart.",
  removeHint: "Remove from the comparison",
  clear: "Clear",
  values: "No values were recorded in this range.",
  ofService: (service: string, host: string) => `${service} on ${host}`,
} as const;
