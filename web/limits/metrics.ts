/** The metrics that a limit can be about, as users choose them. */
import { CPU_PARTS } from "../../src/monit/cpu-usage.ts";
import { STATISTIC as S, STATISTIC_UNITS } from "../../src/monit/statistic-types.ts";
import { capitalize } from "../text/format.ts";
import { sumLabel } from "../text/statistics.ts";
import type { Limit } from "./types.ts";

export interface LimitedMetric {
  /** Identifies the metric in a form. */
  key: string;
  label: string;
  /** Unit in which values are shown and typed; empty without one. */
  unit: string;
  /** How many of the statistic's own units make one of `unit`. */
  scale: number;
  /** Whether values are compared as they are reported, or as the sum of a month. */
  period: Limit["period"];
  statistics: readonly number[];
  descriptor: string;
  perprocessor: boolean;
}

/** Units that a limit's values are shown and typed in. */
function unitOf(code: number): string {
  const unit = STATISTIC_UNITS[code] ?? "none";
  if (unit === "percent") return "%";
  return unit === "seconds" ? "s" : unit === "none" || unit === "count" || unit === "id" ? "" : unit;
}

function metric(
  key: string,
  label: string,
  codes: readonly { code: number }[],
  overrides: Partial<LimitedMetric> = {},
) {
  const statistics = codes.map(({ code }) => code);
  const unit = unitOf(statistics[0] ?? -1);
  const defaults = { scale: 1, period: "message", descriptor: "", perprocessor: false } as const;
  return { key, label, unit, statistics, ...defaults, ...overrides };
}

const MONTH: Partial<LimitedMetric> = { period: "month", unit: "GiB", scale: 1024 ** 3 };

/** The metrics of most limits. */
const COMMON: readonly LimitedMetric[] = [
  metric("disk", "Disk space used", [S.spacePercent]),
  metric("inodes", "Inodes used", [S.inodePercent]),
  metric("cpu", "CPU usage", [S.cpuUser], { statistics: CPU_PARTS }),
  metric("memory", "Memory used", [S.memoryPercent]),
  metric("swap", "Swap used", [S.swapPercent]),
  metric("load", "Load of 15 minutes per processor", [S.load], { descriptor: "15min", perprocessor: true }),
  metric("response", "Response time of a port", [S.portResponse]),
  metric("ping", "Response time to a ping", [S.pingResponse]),
  metric("process-cpu", "CPU usage of a process, with its children", [S.processCpuTotal]),
  metric("process-memory", "Memory of a process, with its children", [S.processMemoryTotal]),
  metric("certificate", "Days that a TLS certificate is still valid", [S.certificateDays]),
  metric("exit-status", "Exit status of a program", [S.programStatus]),
  metric("month-traffic", "Traffic of a calendar month", [S.downloadBytesTotal, S.uploadBytesTotal], MONTH),
  metric("month-download", "Download of a calendar month", [S.downloadBytesTotal], MONTH),
  metric("month-upload", "Upload of a calendar month", [S.uploadBytesTotal], MONTH),
];

const TAKEN = new Set(
  COMMON.filter(({ key, period }) => key !== "cpu" && period === "message").flatMap(
    ({ statistics }) => statistics,
  ),
);

const OTHERS: readonly LimitedMetric[] = Object.values(S)
  .filter(({ code, unit }) => unit !== "text" && unit !== "unix seconds" && !TAKEN.has(code))
  .map(({ code, name, unit }) =>
    metric(String(code), `${capitalize(name)}${unit === "none" ? "" : ` (${unit})`}`, [{ code }]),
  );

/** Every metric that agents report, the common ones first. */
export const METRICS: readonly LimitedMetric[] = [...COMMON, ...OTHERS];

/** The key of a metric, by its key or by the code of its statistic. */
export function metricKeyOf(name: string): string {
  const metricOfKey = METRICS.find(({ key }) => key === name);
  return (metricOfKey ?? METRICS.find(({ statistics }) => statistics.includes(Number(name))))?.key ?? "disk";
}

/** The metric of a limit. If it is none of the choices, it is named after its statistic. */
export function metricOf(
  limit: Pick<Limit, "statistics" | "descriptor" | "perprocessor" | "period">,
): LimitedMetric {
  const { statistics, descriptor, perprocessor, period } = limit;
  const choice = METRICS.find(
    (item) =>
      item.statistics.join() === statistics.join() &&
      item.descriptor === descriptor &&
      item.perprocessor === perprocessor &&
      item.period === period,
  );
  if (choice) return choice;
  const label = `${sumLabel(statistics, descriptor)}${perprocessor ? " per processor" : ""}`;
  const unit = unitOf(statistics[0] ?? -1);
  const name = period === "month" ? `${label}, sum of a calendar month` : label;
  return { key: "own", label: name, unit, scale: 1, period, statistics, descriptor, perprocessor };
}
