/** Panels: which series of a history reply are drawn together in one chart. Pure functions. */
import {
  type HostChart,
  STATISTIC as S,
  STATISTIC_TYPES,
  STATISTIC_UNITS,
} from "../../src/monit/statistic-types.ts";
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
  key: HostChart;
  title: string;
  stacked?: boolean;
  label: (series: HistorySeries) => string;
}

const partOf = ({ type }: HistorySeries) => STATISTIC_TYPES.get(type)?.part ?? "";

/** Charts of a host, in order. */
const HOST_PANELS: readonly PanelDefinition[] = [
  { key: "cpu", title: "CPU", stacked: true, label: partOf },
  { key: "memory", title: "Memory", label: partOf },
  { key: "load", title: "Load average", label: ({ descriptor }) => descriptor.replace("min", " min") },
  { key: "space", title: "Disk space used", label: ({ servicename }) => servicename },
  { key: "network", title: "Network", label: (series) => `${series.servicename} ${partOf(series)}` },
];

/** Codes of the statistics in a chart of a host. */
function typesIn(chart: HostChart): number[] {
  return Object.values(S).flatMap(({ code, panel }) => (panel === chart ? code : []));
}

/** Codes of the statistics in the charts of a host. */
export const HOST_PANEL_TYPES = HOST_PANELS.flatMap(({ key }) => typesIn(key));

/** Whether the values of a statistic can be drawn. */
export function isChartable(type: number): boolean {
  return STATISTIC_TYPES.get(type)?.charted ?? true;
}

/** Turns negative values into gaps, unless they are numbers like others. */
function withGaps(values: readonly (number | null)[], type: number): (number | null)[] {
  const negative = STATISTIC_TYPES.get(type)?.negative ?? "value";
  return values.map((value) => (value === null || (value < 0 && negative !== "value") ? null : value));
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
  return HOST_PANELS.flatMap(({ key, title, stacked = false, label }) => {
    const members = typesIn(key)
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
