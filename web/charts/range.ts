import type { Router } from "../state/router.ts";

const HOUR = 3600;
const DAY = 86_400;

/** Ranges to choose from: what the address calls them, what people do, and seconds. */
export const CHART_RANGES = [
  ["1h", "1 hour", HOUR],
  ["6h", "6 hours", 6 * HOUR],
  ["24h", "24 hours", DAY],
  ["7d", "7 days", 7 * DAY],
  ["30d", "30 days", 30 * DAY],
  ["1y", "1 year", 365 * DAY],
] as const;
const INITIAL = "24h";

/** Points of one series: about one for each two pixels of a wide chart. */
export const POINTS = 400;
/** The window moves on in steps of one point, but not more often than agents report and not less often than hourly. */
const MIN_STEP = 15;
/** The shortest stretch of time to zoom into, seconds. */
export const SHORTEST = 120;

export interface ChartWindow {
  /** Unix seconds. */
  from: number;
  to: number;
  /** Name of the range that moves on with time; null for a stretch that was zoomed into. */
  range: string | null;
}

/** The stretch of time that the address asks for. */
export function chartWindow(query: URLSearchParams, now: number): ChartWindow {
  const from = Number(query.get("from"));
  const to = Number(query.get("to"));
  if (from > 0 && to > from) return { from, to, range: null };
  const chosen =
    CHART_RANGES.find(([key]) => key === query.get("range")) ?? CHART_RANGES.find(([key]) => key === INITIAL);
  const [key, , seconds] = chosen ?? CHART_RANGES[0];
  const step = Math.min(HOUR, Math.max(MIN_STEP, Math.floor(seconds / POINTS)));
  const end = Math.ceil((now + 1) / step) * step;
  return { from: end - seconds, to: end, range: key };
}

/** Shows one of the ranges. */
export function chooseRange(router: Router, key: string): void {
  router.setQuery({ range: key === INITIAL ? null : key, from: null, to: null });
}

/** Zooms into a stretch of time, or a little beyond it where it is too short. Unix seconds. */
export function zoomTo(router: Router, from: number, to: number): void {
  const missing = Math.max(0, SHORTEST - (to - from)) / 2;
  router.setQuery({ from: String(Math.floor(from - missing)), to: String(Math.ceil(to + missing)) });
}

/** Back to the range that was shown before zooming. */
export function resetZoom(router: Router): void {
  router.setQuery({ from: null, to: null });
}
