/** All texts of what moved before an incident. */
import type { MovedRecord } from "../api/types.ts";
import { formatSpan } from "../text/format.ts";

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

export const MOVED = {
  title: "What moved first",
  none: "Nothing is known to have moved in the hour before.",
  order: "Order",
  /** Of an entry that cannot be put in order with others. */
  tied: (tie: number) => `${tie}, tie`,
  when: "When",
  between: (from: string, to: string) => `After ${from}, by ${to}`,
  /** Of what happened before the report that shows it. */
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
  spread: (from: string, to: string) => `varies by ${to}, before by ${from}`,
  by: (uname: string) => `by ${uname}`,
  began: (at: string) => `The failure began at ${at}.`,
  searched: (metrics: number, hosts: number) =>
    `${plural(metrics, "metric")} of ${plural(hosts, "host")} compared with the hour before and earlier days.`,
  noMetrics: "No metric has values of that time.",
  noCause: "What moved first need not be the cause.",
  hostsLeftOut: (count: number) => `${plural(count, "host")} of its groups left out.`,
  metricsLeftOut: (count: number) => `${plural(count, "metric")} left out.`,
  recordsLeftOut: (count: number) => `${count} later ${count === 1 ? "entry" : "entries"} left out.`,
} as const;
