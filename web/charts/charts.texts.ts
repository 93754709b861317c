/** All texts of charts. */
import { counted } from "../text/format.ts";

export const CHARTS = {
  title: "Charts",
  ranges: "Chart range",
  csv: "CSV",
  image: "Image",
  imageOf: (chart: string) => `Image: ${chart}`,
  noValues: "No values were recorded in this range.",
  failed: "The charts could not be loaded. The numbers are below.",
  reload: "Reload the page",
  span: (from: string, to: string) => `${from} to ${to}`,
  resetZoom: "Reset zoom",
  hint: "Drag across a chart to zoom in; double-click to zoom out. Keyboard: arrow keys read values, + and - zoom, Escape resets. Times are in your browser's time zone.",
  limitHint: "Click, or press L, to set a limit at that value.",
  setLimit: "Set limit",
  setLimitAt: (series: string, value: string) => `Set limit at ${value}: ${series}`,
  drawn: "Values to show",
  custom: "Custom range",
  show: "Show",
  chooseHint: "Click: show only this, or all again. Ctrl-click: show or hide this",

  marks: { failure: "failure", recovery: "recovery", change: "change", maintenance: "maintenance" },
  eventsInRange: (count: number) => `${counted(count, "event")} in this range`,

  pointOf: (chart: string) => `${chart}, point in time`,
  pointValue: (series: string, value: string) => `${series} ${value}`,
  point: (at: string, values: string) => `${at}: ${values}`,
  noData: "no data",
  noDataOf: (series: string) => `${series}: no data.`,
  summary: (series: string, average: string, lowest: string, highest: string, at: string) =>
    `${series}: average ${average}, lowest ${lowest}, highest ${highest} at ${at}.`,
  values: "Figures and values",
  valuesTitle: (chart: string) => `Figures and values: ${chart}`,
  valuesOf: (chart: string) => `Values: ${chart}`,
  newestFirst: (chart: string) => `${chart}, newest first`,
  when: "When",

  legendOf: (chart: string) => `${chart}: series`,
  figuresOf: (chart: string) => `${chart}: figures for the range shown`,
  series: "Series",
  legendTime: (day: string, clock: string) => `${day} ${clock}`,
  latest: "Latest",
  lowest: "Lowest",
  average: "Average",
  highest: "Highest",
} as const;
