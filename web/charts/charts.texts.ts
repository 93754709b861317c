/** All texts of charts. */
import { counted } from "../text/format.ts";

export const CHARTS = {
  title: "Charts",
  ranges: "Range of the charts",
  csv: "CSV",
  image: "Image",
  imageOf: (chart: string) => `Image: ${chart}`,
  noValues: "No values were recorded in this range.",
  failed: "The charts could not be loaded. The numbers are below.",
  reload: "Load the page again",
  span: (from: string, to: string) => `${from} to ${to}`,
  resetZoom: "Reset zoom",
  hint: "Drag over a chart to zoom, double-click to go back. With the keyboard: arrows read values, + and - zoom, Escape goes back. Times are those of this browser.",
  drawn: "Values to draw",
  custom: "From date to date",
  from: "From",
  until: "Until",
  show: "Show",
  hide: "Hide",
  wrongSpan: "Must be later than the first date",

  marks: { failure: "failure", recovery: "recovery", change: "change", maintenance: "maintenance" },
  eventsInRange: (count: number) => `${counted(count, "event")} in this range`,

  pointOf: (chart: string) => `${chart}, point in time`,
  pointValue: (series: string, value: string) => `${series} ${value}`,
  point: (at: string, values: string) => `${at}: ${values}`,
  noData: "no data",
  noDataOf: (series: string) => `${series}: no data.`,
  summary: (series: string, average: string, lowest: string, highest: string, at: string) =>
    `${series}: ${average} on average, lowest ${lowest}, highest ${highest} at ${at}.`,
  values: "Values as a table",
  valuesTitle: (chart: string) => `Values as a table: ${chart}`,
  valuesOf: (chart: string) => `Values: ${chart}`,
  newestFirst: (chart: string) => `${chart}, newest first`,
  when: "When",

  legendOf: (chart: string) => `${chart}: numbers of the range shown`,
  series: "Series",
  legendTime: (day: string, clock: string) => `${day} ${clock}`,
  latest: "Latest",
  lowest: "Lowest",
  average: "Average",
  highest: "Highest",
} as const;
