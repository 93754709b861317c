/** The metrics that a limit can be about, as users choose them. */
import { STATISTIC as S, STATISTIC_NAMES, STATISTIC_UNITS } from "../../src/monit/statistic-types.ts";
import { capitalize } from "../text/format.ts";
import type { Limit } from "./types.ts";

export interface LimitedNumber {
  /** Identifies the metric in a form. */
  key: string;
  label: string;
  /** Unit of its values; empty without one. */
  unit: string;
  statistics: readonly number[];
  descriptor: string;
  perprocessor: boolean;
}

const CPU_PARTS = [S.cpuUser, S.cpuSystem, S.cpuWait, S.cpuNice, S.cpuHardIrq, S.cpuSoftIrq, S.cpuSteal];

/** Units that a limit's values are shown and typed in. */
function unitOf(code: number): string {
  const unit = STATISTIC_UNITS[code] ?? "none";
  if (unit === "percent") return "%";
  return unit === "seconds" ? "s" : unit === "none" || unit === "count" || unit === "id" ? "" : unit;
}

function number(
  key: string,
  label: string,
  codes: readonly { code: number }[],
  rest: Partial<LimitedNumber> = {},
) {
  const statistics = codes.map(({ code }) => code);
  const unit = unitOf(statistics[0] ?? -1);
  return { key, label, unit, statistics, descriptor: "", perprocessor: false, ...rest };
}

/** The metrics of most limits. */
export const COMMON: readonly LimitedNumber[] = [
  number("disk", "Disk space used", [S.spacePercent]),
  number("inodes", "Inodes used", [S.inodePercent]),
  number("cpu", "CPU usage", CPU_PARTS),
  number("memory", "Memory used", [S.memoryPercent]),
  number("swap", "Swap used", [S.swapPercent]),
  number("load", "Load of 15 minutes per processor", [S.load], { descriptor: "15min", perprocessor: true }),
  number("response", "Response time of a port", [S.portResponse]),
  number("ping", "Response time to a ping", [S.pingResponse]),
  number("process-cpu", "CPU usage of a process, with its children", [S.processCpuTotal]),
  number("process-memory", "Memory of a process, with its children", [S.processMemoryTotal]),
  number("certificate", "Days that a TLS certificate is still valid", [S.certificateDays]),
  number("exit-status", "Exit status of a program", [S.programStatus]),
];

const TAKEN = new Set(COMMON.filter(({ key }) => key !== "cpu").flatMap(({ statistics }) => statistics));

/** Every other metric that agents report. */
export const OTHERS: readonly LimitedNumber[] = Object.values(S)
  .filter(({ code, unit }) => unit !== "text" && unit !== "unix seconds" && !TAKEN.has(code))
  .map(({ code, name, unit }) =>
    number(String(code), `${capitalize(name)}${unit === "none" ? "" : ` (${unit})`}`, [{ code }]),
  );

/** The key of a metric, by its key or by the code of its statistic. */
export function keyOfNumber(name: string): string {
  const all = [...COMMON, ...OTHERS];
  const number =
    all.find(({ key }) => key === name) ?? all.find((one) => one.statistics.includes(Number(name)));
  return number?.key ?? "disk";
}

/** The metric of a limit. If it is none of the choices, it is named after its statistic. */
export function numberOf(limit: Pick<Limit, "statistics" | "descriptor" | "perprocessor">): LimitedNumber {
  const { statistics, descriptor, perprocessor } = limit;
  const known = [...COMMON, ...OTHERS].find(
    (one) =>
      one.statistics.join() === statistics.join() &&
      one.descriptor === descriptor &&
      one.perprocessor === perprocessor,
  );
  if (known) return known;
  const names = statistics.map((code) => STATISTIC_NAMES[code] ?? `value ${code}`);
  const label = `${capitalize(names.join(" + "))}${descriptor ? `, ${descriptor}` : ""}${perprocessor ? " per processor" : ""}`;
  return { key: "own", label, unit: unitOf(statistics[0] ?? -1), statistics, descriptor, perprocessor };
}
