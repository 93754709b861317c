/** The metrics by which hosts can be compared. */
import { CPU_PARTS } from "../../src/monit/cpu-usage.ts";
import { STATISTIC as S, STATISTIC_UNITS, type StatisticUnit } from "../../src/monit/statistic-types.ts";
import { capitalize } from "../text/format.ts";
import { sumLabel } from "../text/statistics.ts";

export interface FleetMetric {
  /** Key of the metric in the address. */
  key: string;
  text: string;
  /** Codes of the types that are added up. */
  types: readonly number[];
  descriptor?: string;
}

/** The most useful metrics. */
export const COMMON: readonly FleetMetric[] = [
  { key: "cpu", text: "CPU usage", types: CPU_PARTS },
  { key: "memory", text: "Memory usage", types: [S.memoryPercent.code] },
  { key: "swap", text: "Swap usage", types: [S.swapPercent.code] },
  { key: "load", text: "Load average (1 min)", types: [S.load.code], descriptor: "1min" },
  { key: "disk", text: "Disk space used", types: [S.spacePercent.code] },
  { key: "inodes", text: "Inodes used", types: [S.inodePercent.code] },
  { key: "process-cpu", text: "Process CPU usage", types: [S.processCpuTotal.code] },
  { key: "process-memory", text: "Process memory", types: [S.processMemoryKbTotal.code] },
  { key: "port", text: "Port response time", types: [S.portResponse.code] },
  { key: "ping", text: "Ping response time", types: [S.pingResponse.code] },
];

const COMMON_TYPES = new Set(COMMON.flatMap(({ key, types }) => (key === "cpu" ? [] : types)));

/** Units whose values cannot be ranked. */
const UNRANKED: readonly StatisticUnit[] = ["text", "id"];

const OTHERS: readonly FleetMetric[] = Object.values(S)
  .filter(({ code, unit }) => !UNRANKED.includes(unit) && !COMMON_TYPES.has(code))
  .map(({ code, name, unit }) => ({
    key: `type-${code}`,
    text: unit === "none" ? capitalize(name) : `${capitalize(name)} (${unit})`,
    types: [code],
  }));

export const METRICS: readonly FleetMetric[] = [...COMMON, ...OTHERS];

const setOf = (types: readonly number[]) => [...new Set(types)].toSorted((a, b) => a - b).join();

/** Key of a metric that is not in the list: `types-1.2`, with a descriptor `types-0-5min`. */
const UNLISTED = /^types-(\d{1,3}(?:\.\d{1,3})*)(?:-(.+))?$/s;

/** The metric that adds up these types, in any order: one from the list, or one named after its types. */
export function metricOfTypes(types: readonly number[], descriptor: string): FleetMetric {
  const listed = METRICS.find(
    (metric) => setOf(metric.types) === setOf(types) && (metric.descriptor ?? "") === descriptor,
  );
  if (listed) return listed;
  const key = `types-${types.join(".")}${descriptor && `-${descriptor}`}`;
  return { key, text: sumLabel(types, descriptor), types, ...(descriptor && { descriptor }) };
}

/** The metric with this key; CPU usage if there is none. */
export function metricOf(key: string | null): FleetMetric {
  const [, types, descriptor = ""] = UNLISTED.exec(key ?? "") ?? [];
  if (types !== undefined) return metricOfTypes(types.split(".").map(Number), descriptor);
  return METRICS.find((metric) => metric.key === key) ?? (METRICS[0] as FleetMetric);
}

/** Whether the metric is a percentage. */
export function isPercent({ types }: FleetMetric): boolean {
  return types.every((type) => STATISTIC_UNITS[type] === "percent");
}

/** The hosts and services that are compared. */
export interface Compared {
  hosts: readonly number[];
  services: readonly number[];
}

/** The most hosts and services in one chart. */
export const MAX_COMPARED = 12;

/** Reads "h1.h2.s7". Anything else is ignored. */
export function comparedOf(text: string | null): Compared {
  const ids = (kind: string) =>
    (text ?? "")
      .split(".")
      .filter((name) => name.startsWith(kind))
      .map((name) => Number(name.slice(1)))
      .filter((id) => Number.isInteger(id) && id > 0);
  const hosts = [...new Set(ids("h"))].slice(0, MAX_COMPARED);
  return { hosts, services: [...new Set(ids("s"))].slice(0, MAX_COMPARED - hosts.length) };
}

/** Writes what `comparedOf` reads: "h1.h2.s7". */
export function comparedText({ hosts, services }: Compared): string {
  return [...hosts.map((id) => `h${id}`), ...services.map((id) => `s${id}`)].join(".");
}
