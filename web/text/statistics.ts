import { CPU_PARTS } from "../../src/monit/cpu-usage.ts";
import { SERVICE_TYPE } from "../../src/monit/event-types.ts";
import {
  STATISTIC as S,
  STATISTIC_NAMES,
  STATISTIC_TYPES,
  STATISTIC_UNITS,
  type StatisticUnit,
  VALUE_WORDS,
} from "../../src/monit/statistic-types.ts";
import type { Service, Statistic } from "../api/types.ts";
import {
  capitalize,
  formatAbsolute,
  formatBytes,
  formatDuration,
  formatFixed,
  formatNumber,
  formatPercent,
} from "./format.ts";

/** Name of a statistic, with the descriptor that distinguishes it from others of its type. */
export function statisticLabel({ type, descriptor }: Pick<Statistic, "type" | "descriptor">): string {
  const timestamp = type === S.timestamp.code ? TIMESTAMPS[descriptor] : undefined;
  return timestamp ?? sumLabel([type], descriptor);
}

/** Name of a sum of statistics, such as "Memory usage + swap usage", with the descriptor that they have. */
export function sumLabel(types: readonly number[], descriptor: string): string {
  const isOfCpu = types.length > 1 && types.every((type) => CPU_PARTS.includes(type));
  const label = isOfCpu
    ? `CPU usage (${types.length} of ${CPU_PARTS.length} parts)`
    : capitalize(types.map((type) => STATISTIC_NAMES[type] ?? `value ${type}`).join(" + "));
  return descriptor ? `${label}, ${descriptor}` : label;
}

/** Labels of statistics shown side by side. Equal labels get their unit added. */
export function distinctLabels(statistics: readonly Pick<Statistic, "type" | "descriptor">[]): string[] {
  const labels = statistics.map(statisticLabel);
  return statistics.map(({ type }, i) => {
    const label = labels[i] ?? "";
    const unit = STATISTIC_UNITS[type] ?? "none";
    return labels.indexOf(label) === labels.lastIndexOf(label) || unit === "none"
      ? label
      : `${label} (${unit})`;
  });
}

function formatResponse(seconds: number): string {
  if (seconds < 0) return "failed";
  if (seconds >= 1) return `${formatNumber(seconds, 2)} s`;
  // Within a network a ping takes less than 0.1 ms.
  const digits = seconds < 0.001 ? 3 : seconds < 0.1 ? 1 : 0;
  return `${formatNumber(seconds * 1000, digits)} ms`;
}

const RESPONSES: readonly number[] = [S.portResponse.code, S.unixSocketResponse.code, S.pingResponse.code];

const BY_UNIT: Readonly<Partial<Record<StatisticUnit, (value: number) => string>>> = {
  percent: (value) => formatPercent(value),
  kB: (value) => formatBytes(value * 1024),
  MB: (value) => formatBytes(value * 1024 * 1024),
  bytes: formatBytes,
  "bytes/s": (value) => `${formatBytes(value)}/s`,
  "bit/s": (value) => `${formatNumber(value / 1e6, 1)} Mbit/s`,
  seconds: formatDuration,
  ms: (value) => `${formatNumber(value, 2)} ms`,
  "unix seconds": formatAbsolute,
  days: (value) => `${formatNumber(value, 0)} days`,
  id: String,
};

/** The latest value with its unit, or the text of a statistic that has one. */
export function formatStatistic({ type, value, text }: Statistic): string {
  return text ?? formatValue(type, value);
}

/** Values that agents send for a file that does not exist, as a check may demand. They are shown as unknown. */
const OF_NO_FILE: Readonly<Record<number, number>> = {
  [S.mode.code]: 7777,
  [S.uid.code]: -1,
  [S.gid.code]: -1,
  [S.timestamp.code]: 0,
};

function isUnknown(type: number, value: number): boolean {
  const isNegative = value < 0 && STATISTIC_TYPES.get(type)?.negative === "unknown";
  return isNegative || value === OF_NO_FILE[type];
}

/** A value of a statistic type with its unit. */
export function formatValue(type: number, value: number): string {
  if (RESPONSES.includes(type)) return formatResponse(value);
  if (isUnknown(type, value)) return "unknown";
  if (type === S.load.code) return formatFixed(value, 2);
  if (type === S.mode.code) return String(value).padStart(3, "0");
  const word = VALUE_WORDS[type]?.[value];
  if (word !== undefined) return word;
  const unit = STATISTIC_UNITS[type] ?? "none";
  const format = BY_UNIT[unit];
  if (format) return format(value);
  return unit.includes("/") ? `${formatNumber(value, 1)} ${unit}` : formatNumber(value, 2);
}

/** A value on the axis of a chart with its unit. */
export function formatTick(type: number, value: number): string {
  if (STATISTIC_UNITS[type] === "percent") return `${formatNumber(value, 2)} %`;
  if (value === 0) return "0";
  return type === S.load.code ? formatNumber(value, 2) : formatValue(type, value);
}

/** By service type: the statistics in the one-line summary of a service, with their labels there. */
const HEADLINES: Readonly<Record<number, readonly (readonly [code: number, label: string])[]>> = {
  [SERVICE_TYPE.filesystem]: [
    [S.spacePercent.code, "space"],
    [S.inodePercent.code, "inodes"],
    [S.spaceTotal.code, "of"],
  ],
  [SERVICE_TYPE.directory]: [
    [S.mode.code, "mode"],
    [S.timestamp.code, ""],
  ],
  [SERVICE_TYPE.file]: [
    [S.size.code, "size"],
    [S.timestamp.code, ""],
  ],
  [SERVICE_TYPE.process]: [
    [S.processCpuTotal.code, "CPU"],
    [S.processMemoryKbTotal.code, "memory"],
    [S.uptime.code, "up"],
    [S.portResponse.code, ""],
    [S.unixSocketResponse.code, ""],
  ],
  [SERVICE_TYPE.remoteHost]: [
    [S.pingResponse.code, "ping"],
    [S.portResponse.code, ""],
    [S.unixSocketResponse.code, ""],
  ],
  [SERVICE_TYPE.system]: [
    [S.load.code, "load"],
    [S.cpuUser.code, "user"],
    [S.cpuSystem.code, "system"],
    [S.cpuWait.code, "wait"],
    [S.memoryPercent.code, "memory"],
    [S.swapPercent.code, "swap"],
  ],
  [SERVICE_TYPE.fifo]: [
    [S.mode.code, "mode"],
    [S.timestamp.code, ""],
  ],
  [SERVICE_TYPE.program]: [[S.programStatus.code, "exit status"]],
  [SERVICE_TYPE.network]: [
    [S.linkState.code, "link"],
    [S.downloadBytes.code, "down"],
    [S.uploadBytes.code, "up"],
  ],
};
const HEADLINE_VALUES = 8;

/** Labels of a file's timestamps, by their descriptor. */
const TIMESTAMPS: Readonly<Record<string, string>> = {
  access: "Accessed",
  change: "Attributes changed",
  modify: "Modified",
};

function headlineLabel(label: string, { type, descriptor }: Statistic): string {
  if (type === S.timestamp.code) return TIMESTAMPS[descriptor] ?? "Changed";
  return [label, descriptor].filter(Boolean).join(" ");
}

/** The one-line summary of a service: its most important values. */
export function headline(service: Service): { id: number; type: number; label: string; value: string }[] {
  const headlines = HEADLINES[service.typeid] ?? [];
  return headlines
    .flatMap(([code, label]) =>
      service.statistics
        .filter((statistic) => statistic.type === code)
        .map((statistic) => ({
          id: statistic.id,
          type: statistic.type,
          label: headlineLabel(label, statistic),
          value: formatStatistic(statistic),
        })),
    )
    .slice(0, HEADLINE_VALUES);
}
