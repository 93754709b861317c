/** All texts of what moved before an incident. */
import type { MovedRecord } from "../api/types.ts";
import { counted, formatSpan } from "../text/format.ts";

export const MOVED = {
  title: "What moved first",
  none: "Nothing was found that moved in the hour before.",
  order: "Order",
  /** The place in the order of an entry that cannot be put before or after some others. */
  tied: (tie: number) => `${tie}, tie`,
  when: "When",
  between: (from: string, to: string) => `After ${from}, by ${to}`,
  /** How much earlier than the report that shows it something may have happened. */
  earlier: (seconds: number) => `or up to ${formatSpan(seconds)} earlier`,
  range: (from: string, to: string) => `between ${from} and ${to}`,
  what: "What",
  service: "Service",
  host: "Host",
  kind: "Kind",
  kinds: {
    number: "Metric",
    change: "Change",
    output: "Output",
    limit: "Limit",
    failure: "Failure",
    muster: "Muster",
  } satisfies Record<MovedRecord["kind"], string>,
  change: (from: string, to: string) => `${from} to ${to}`,
  spread: (from: string, to: string) => `varies by ${to}, previously by ${from}`,
  by: (uname: string) => `by ${uname}`,
  began: (at: string) => `The failure began at ${at}.`,
  searched: (metrics: number, hosts: number) =>
    `${counted(metrics, "metric")} of ${counted(hosts, "host")} compared with the hour before and earlier days.`,
  noMetrics: "No metric has values from that time.",
  noCause: "What moved first need not be the cause.",
  hostsLeftOut: (count: number) => `${counted(count, "host")} of its groups left out.`,
  metricsLeftOut: (count: number) => `${counted(count, "metric")} left out.`,
  recordsLeftOut: (count: number) => `${counted(count, "later entry", "later entries")} left out.`,
} as const;
