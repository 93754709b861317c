/** Panels: which series of a history reply are drawn together in one chart. Pure functions. */
import { STATISTIC as S, STATISTIC_UNITS, type StatisticUnit } from "../../src/monit/statistic-types.ts";
import type { HistoryReply, HistorySeries } from "../api/types.ts";
import { statisticLabel } from "../text/statistics.ts";

export interface PanelSeries extends HistorySeries {
  label: string;
}

export interface Panel {
  key: string;
  title: string;
  /** Statistic code that determines the unit of the axis. */
  type: number;
  /** Draw stacked areas, as the series are parts of a whole. */
  stacked: boolean;
  series: readonly PanelSeries[];
}

/** Ids of the series that are not drawn. */
export type Hidden = ReadonlySet<number>;

interface PanelDefinition {
  key: string;
  title: string;
  types: readonly number[];
  stacked?: boolean;
  label: (series: HistorySeries) => string;
}

const CPU_PARTS: Readonly<Record<number, string>> = {
  [S.cpuUser.code]: "user",
  [S.cpuSystem.code]: "system",
  [S.cpuWait.code]: "wait",
};
const MEMORY_PARTS: Readonly<Record<number, string>> = {
  [S.memoryPercent.code]: "memory",
  [S.swapPercent.code]: "swap",
};

/** Charts of a host, in order. */
const HOST_PANELS: readonly PanelDefinition[] = [
  {
    key: "cpu",
    title: "CPU",
    types: Object.keys(CPU_PARTS).map(Number),
    stacked: true,
    label: ({ type }) => CPU_PARTS[type] ?? "",
  },
  {
    key: "memory",
    title: "Memory",
    types: Object.keys(MEMORY_PARTS).map(Number),
    label: ({ type }) => MEMORY_PARTS[type] ?? "",
  },
  {
    key: "load",
    title: "Load average",
    types: [S.load.code],
    label: ({ descriptor }) => descriptor.replace("min", " min"),
  },
  {
    key: "space",
    title: "Disk space used",
    types: [S.spacePercent.code],
    label: ({ servicename }) => servicename,
  },
  {
    key: "network",
    title: "Network",
    types: [S.downloadBytes.code, S.uploadBytes.code],
    label: ({ servicename, type }) => `${servicename} ${type === S.downloadBytes.code ? "down" : "up"}`,
  },
];

/** Codes of the statistics in the charts of a host. */
export const HOST_PANEL_TYPES = HOST_PANELS.flatMap(({ types }) => types);

/** Units of values that are no quantities, and make no useful chart. */
const UNCHARTED: readonly StatisticUnit[] = ["text", "id", "unix seconds"];

/** Whether the values of a statistic can be drawn. */
export function isChartable(type: number): boolean {
  return type !== S.mode.code && !UNCHARTED.includes(STATISTIC_UNITS[type] ?? "none");
}

/**
 * Turns negative values of a quantity into gaps: an agent sends them for a failed test or an unknown rate.
 */
function withGaps(values: readonly (number | null)[], type: number): (number | null)[] {
  const unit = STATISTIC_UNITS[type] ?? "none";
  return values.map((value) => (value === null || (value < 0 && unit !== "none") ? null : value));
}

function cleaned(series: HistorySeries): HistorySeries {
  const { type } = series;
  return {
    ...series,
    min: withGaps(series.min, type),
    mean: withGaps(series.mean, type),
    max: withGaps(series.max, type),
  };
}

const hasValues = ({ mean }: HistorySeries) => mean.some((value) => value !== null);

/** The charts of a host, without those that have no values. */
export function hostPanels({ series }: HistoryReply): Panel[] {
  return HOST_PANELS.flatMap(({ key, title, types, stacked = false, label }) => {
    const members = types
      .flatMap((type) => series.filter((one) => one.type === type))
      .map(cleaned)
      .filter(hasValues);
    const [first] = members;
    if (!first) return [];
    return [
      {
        key,
        title,
        type: first.type,
        stacked,
        series: members.map((one) => ({ ...one, label: label(one) })),
      },
    ];
  });
}

/** The charts of a service. Statistics with the same unit share a chart. */
export function servicePanels({ series }: HistoryReply): Panel[] {
  const charted = series.filter(({ type }) => isChartable(type)).map(cleaned);
  const byUnit = Map.groupBy(charted.filter(hasValues), ({ type }) =>
    type === S.load.code ? "load" : (STATISTIC_UNITS[type] ?? "none"),
  );
  return [...byUnit].map(([unit, members]) => {
    const labelled = members.map((one) => ({ ...one, label: statisticLabel(one) }));
    return {
      key: unit,
      title: labelled.map(({ label }) => label).join(", "),
      type: members[0]?.type ?? 0,
      stacked: false,
      series: labelled,
    };
  });
}

export interface Extremes {
  lowest: number;
  average: number;
  highest: number;
  /** Unix seconds. */
  highestAt: number;
  latest: number;
}

/** Index of the point nearest to a time; -1 without points. */
export function nearest(times: readonly number[], at: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  for (const [i, time] of times.entries()) {
    if (Math.abs(time - at) >= distance) break;
    distance = Math.abs(time - at);
    best = i;
  }
  return best;
}

/** Lowest, average, highest and latest value of a series; null if it has no values. */
export function extremesOf({ min, mean, max }: HistorySeries, times: readonly number[]): Extremes | null {
  let found: Extremes | null = null;
  let sum = 0;
  let count = 0;
  for (const [i, value] of mean.entries()) {
    if (value === null) continue;
    const low = min[i] ?? value;
    const high = max[i] ?? value;
    sum += value;
    count += 1;
    const at = times[i] ?? 0;
    found ??= { lowest: low, average: 0, highest: high, highestAt: at, latest: value };
    found.latest = value;
    found.lowest = Math.min(found.lowest, low);
    if (high > found.highest) Object.assign(found, { highest: high, highestAt: at });
  }
  return found && { ...found, average: sum / count };
}

/** Running sums for stacked areas: of each series and those before it. The last one is the total. */
export function stacked(series: readonly HistorySeries[]): (number | null)[][] {
  let below: (number | null)[] = [];
  return series.map(({ mean }) => {
    const base = below;
    below = mean.map((value, i) => (value === null ? null : value + (base[i] ?? 0)));
    return below;
  });
}
