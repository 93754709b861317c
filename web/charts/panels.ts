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
  /** The host of the series, if the chart has series of several hosts. */
  hostId?: number;
}

export interface Panel {
  key: string;
  title: string;
  /** Statistic code that determines the unit of the axis. */
  type: number;
  /** Draw stacked areas, as the series are parts of a whole. */
  stacked: boolean;
  /** The axis reaches at least this value, so that charts side by side have the same scale. */
  top?: number;
  /**
   * Key of the metric on which the chart offers limits, if that is not the statistic of a series; null for a sum on
   * which no limit can be set.
   */
  limit?: string | null;
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

/** Parts of CPU usage that are close to zero on most hosts. They are drawn only if they reach 1 %. */
const MINOR_PARTS: ReadonlySet<number> = new Set(
  [S.cpuNice, S.cpuHardIrq, S.cpuSoftIrq, S.cpuSteal, S.cpuGuest, S.cpuGuestNice].map(({ code }) => code),
);

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

/** Turns negative values into gaps, unless they are valid numbers. */
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

const isDrawn = ({ type, max }: HistorySeries) =>
  !MINOR_PARTS.has(type) || max.some((value) => value !== null && value >= 1);

const lastIndex = ({ mean }: HistorySeries) => mean.findLastIndex((value) => value !== null);

/** Two series as one line: the values of the one that lasts longer and, where it has none, those of the other. */
function joined(a: HistorySeries, b: HistorySeries): HistorySeries {
  const [earlier, later] = lastIndex(a) > lastIndex(b) ? [b, a] : [a, b];
  const values = (of: "min" | "mean" | "max") => later[of].map((value, i) => value ?? earlier[of][i] ?? null);
  return { ...later, min: values("min"), mean: values("mean"), max: values("max") };
}

/** Joins the series of one type and label: a host that is renamed has another service with its CPU, memory and load. */
function joinedSeries(series: readonly HistorySeries[], label: PanelDefinition["label"]): HistorySeries[] {
  const alike = Map.groupBy(series, (statistic) => `${statistic.type} ${label(statistic)}`);
  return [...alike.values()].map((members) => members.reduce(joined));
}

/** The charts of a host, without those that have no values. */
export function hostPanels({ series }: HistoryReply): Panel[] {
  return HOST_PANELS.flatMap(({ key, title, stacked = false, label }) => {
    const ofPanel = typesIn(key)
      .flatMap((type) => series.filter((statistic) => statistic.type === type))
      .map(cleaned);
    const members = joinedSeries(ofPanel, label).filter(
      (statistic) => hasValues(statistic) && isDrawn(statistic),
    );
    const [first] = members;
    if (!first) return [];
    return [
      {
        key,
        title,
        type: first.type,
        stacked,
        ...(stacked && { limit: key }),
        series: members.map((statistic) => ({ ...statistic, label: label(statistic) })),
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
    const labelled = members.map((statistic) => ({ ...statistic, label: statisticLabel(statistic) }));
    return {
      key: unit,
      title: labelled.map(({ label }) => label).join(", "),
      type: members[0]?.type ?? 0,
      stacked: false,
      series: labelled,
    };
  });
}

/** A clicked point of a chart, or the point that the keyboard has reached. */
export interface ClickedPoint {
  /** Index of the time. */
  index: number;
  /** The clicked value; null to use that of each series. */
  value: number | null;
  /** The smallest difference that a click can express. */
  step: number;
  hidden: Hidden;
}

/** A limit that can be set at a point of a chart. */
export interface LimitOffer {
  id: number;
  label: string;
  type: number;
  value: number;
  number: string;
  hostId: number;
  service: string | undefined;
  descriptor: string;
}

const MOST_OFFERS = 4;

/** The value, rounded to the precision of a click. */
function rounded(value: number, step: number): number {
  const digits = step > 0 ? Math.ceil(Math.log10(step)) : 0;
  return digits > 0 ? Math.round(value / 10 ** digits) * 10 ** digits : Number(value.toFixed(-digits));
}

/** The limits that can be set at a point: for the sum of a stacked chart, otherwise for the series nearest to it. */
export function limitOffers(panel: Panel, hostId: number, point: ClickedPoint): LimitOffer[] {
  const { index, step, hidden } = point;
  const shown = panel.series.filter(({ id }) => !hidden.has(id));
  const valueAt = ({ mean }: HistorySeries) => mean[index] ?? null;
  const [first] = shown;
  if (panel.stacked && first) {
    const value = point.value ?? shown.reduce((sum, series) => sum + (valueAt(series) ?? 0), 0);
    const { id, type } = first;
    const label = panel.title;
    const place = { hostId, service: undefined, descriptor: "" };
    return [{ id, type, label, value: rounded(value, step), number: panel.limit ?? String(type), ...place }];
  }
  const distance = (series: PanelSeries) =>
    Math.abs((valueAt(series) ?? Number.POSITIVE_INFINITY) - (point.value ?? 0));
  const inOrder = point.value === null ? shown : shown.toSorted((a, b) => distance(a) - distance(b));
  return inOrder.slice(0, MOST_OFFERS).flatMap((series) => {
    const value = point.value ?? valueAt(series);
    if (value === null) return [];
    const { id, type, label, descriptor, servicename: service } = series;
    const number = panel.limit ?? String(type);
    const place = { hostId: series.hostId ?? hostId, service, descriptor };
    return [{ id, label, type, value: rounded(value, step), number, ...place }];
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
  let extremes: Extremes | null = null;
  let sum = 0;
  let count = 0;
  for (const [i, value] of mean.entries()) {
    if (value === null) continue;
    const low = min[i] ?? value;
    const high = max[i] ?? value;
    sum += value;
    count += 1;
    const at = times[i] ?? 0;
    extremes ??= { lowest: low, average: 0, highest: high, highestAt: at, latest: value };
    extremes.latest = value;
    extremes.lowest = Math.min(extremes.lowest, low);
    if (high > extremes.highest) Object.assign(extremes, { highest: high, highestAt: at });
  }
  return extremes && { ...extremes, average: sum / count };
}

/** Running sums for stacked areas: each series plus those before it, also across the gaps of some of them. */
export function stacked(series: readonly HistorySeries[]): (number | null)[][] {
  let below: number[] = [];
  return series.map(({ mean }) => {
    const base = below;
    below = mean.map((value, i) => (value ?? 0) + (base[i] ?? 0));
    return mean.map((value, i) => (value === null ? null : (below[i] ?? null)));
  });
}

/** Indices of the values that have none before and after them; null without such values. */
export function isolated(values: ArrayLike<number | null | undefined>): number[] | null {
  const hasValue = (i: number) => values[i] !== null && values[i] !== undefined;
  const alone = Array.from({ length: values.length }, (_, i) => i).filter(
    (i) => hasValue(i) && !hasValue(i - 1) && !hasValue(i + 1),
  );
  return alone.length > 0 ? alone : null;
}

/**
 * The hidden series after a series was chosen in the legend of its chart. Choosing it hides all others of the chart, or
 * shows them again if they were hidden.
 * @param panel ids of the series in the chart
 * @param isOne hides or shows only the chosen series instead
 */
export function hiddenAfter(hidden: Hidden, id: number, panel: readonly number[], isOne: boolean): number[] {
  const inOtherPanels = [...hidden].filter((other) => !panel.includes(other));
  const inPanel = panel.filter((other) => hidden.has(other));
  if (isOne)
    return [
      ...inOtherPanels,
      ...(inPanel.includes(id) ? inPanel.filter((other) => other !== id) : [...inPanel, id]),
    ];
  const others = panel.filter((other) => other !== id);
  const isAlone = !hidden.has(id) && others.every((other) => hidden.has(other));
  return isAlone ? inOtherPanels : [...inOtherPanels, ...others];
}
