import { DAY, HOUR } from "../../src/platform/clock.ts";
import { timeIn } from "../state/moment.ts";
import type { Router } from "../state/router.ts";

/** Ranges to choose from: key in the address, label, seconds. */
export const CHART_RANGES = [
  ["1h", "1 hour", HOUR],
  ["6h", "6 hours", 6 * HOUR],
  ["24h", "24 hours", DAY],
  ["7d", "7 days", 7 * DAY],
  ["30d", "30 days", 30 * DAY],
  ["1y", "1 year", 365 * DAY],
] as const;
const INITIAL = "24h";

/** Points of a series: about one for two pixels of a wide chart. */
export const POINTS = 400;
/**
 * The window moves in steps of one point, or of this many seconds if that is longer: agents do not report more often.
 */
const MIN_STEP = 15;
/** The shortest time span that can be zoomed into, seconds. */
const SHORTEST = 120;

/** Unix seconds. */
export interface TimeSpan {
  from: number;
  to: number;
}

export interface ChartWindow extends TimeSpan {
  /** Key of the range, which moves with time; null for a fixed span that was zoomed into. */
  range: string | null;
}

/** The time span in the address, or that of `around`, or the default range. */
export function chartWindow(query: URLSearchParams, now: number, around?: TimeSpan): ChartWindow {
  const [from, to] = [timeIn(query, "from"), timeIn(query, "to")];
  if (from !== null && to !== null && to > from) return { from, to, range: null };
  if (around && !query.has("range")) return { ...around, range: null };
  const range =
    CHART_RANGES.find(([key]) => key === query.get("range")) ?? CHART_RANGES.find(([key]) => key === INITIAL);
  const [key, , seconds] = range ?? CHART_RANGES[0];
  const step = Math.min(HOUR, Math.max(MIN_STEP, Math.floor(seconds / POINTS)));
  const end = Math.ceil((now + 1) / step) * step;
  return { from: end - seconds, to: end, range: key };
}

/** The shortest time span that is fitted to new data, seconds. */
const SHORTEST_FITTED = 600;
/** Data that fills more than this part of a range is shown in the whole range. */
const FULL = 0.5;

/**
 * The start of the chart. If nobody chose a range and most of it is empty, because recording began recently, the
 * chart begins with the first values.
 * @param firstAt time of the first value
 */
export function fittedStart({ from, to }: TimeSpan, firstAt: number | undefined): number {
  if (firstAt === undefined || to - firstAt > (to - from) * FULL) return from;
  return Math.max(from, Math.min(firstAt - (to - firstAt) * 0.05, to - SHORTEST_FITTED));
}

/** Changes to one of the ranges. */
export function chooseRange(router: Router, key: string): void {
  router.setQuery({ range: key, from: null, to: null });
}

/** Zooms into a time span, widened if it is too short. Unix seconds. */
export function zoomTo(router: Router, from: number, to: number): void {
  const missing = Math.max(0, SHORTEST - (to - from)) / 2;
  router.setQuery({ from: String(Math.floor(from - missing)), to: String(Math.ceil(to + missing)) });
}

/** Returns to the range that was shown before the zoom. */
export function resetZoom(router: Router): void {
  router.setQuery({ from: null, to: null });
}
