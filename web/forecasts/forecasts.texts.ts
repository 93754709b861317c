/** All texts about forecasts. */
import { counted, formatNumber } from "../text/format.ts";

/** The part of a forecast that texts need: days from now. */
export interface Days {
  days: number;
  daysfrom: number;
  daysto: number | null;
}

const WHAT: Readonly<Record<number, string>> = { 4: "Memory", 18: "Space", 21: "Inodes" };

const RANGES = {
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  orMore: (from: string) => `${from} or more`,
} as const;

/** A range of days as a text, rounded outwards to whole days: "5 to 16". */
function rangeText({ daysfrom, daysto }: Days): string {
  const from = formatNumber(Math.floor(daysfrom), 0);
  return daysto === null ? RANGES.orMore(from) : RANGES.fromTo(from, formatNumber(Math.ceil(daysto), 0));
}

/** Placeholders of the sentences below. */
interface Filling {
  /** "5 to 16". */
  range: string;
  /** In percent a day: "1.3". */
  growth: string;
}

const SENTENCES = {
  today: ({ range, growth }: Filling) => `full today (${range}), growing ${growth} % a day`,
  later: (days: number, { range, growth }: Filling) =>
    `full in about ${counted(days, "day")} (${range}), growing ${growth} % a day`,
} as const;

/** "full in about 9 days (5 to 16), growing 1.3 % a day". */
export function fullIn(forecast: Days & { growth: number }): string {
  const days = Math.round(forecast.days);
  const growth = formatNumber(forecast.growth, forecast.growth < 1 ? 2 : 1);
  const filling = { range: rangeText(forecast), growth };
  return days === 0 ? SENTENCES.today(filling) : SENTENCES.later(days, filling);
}

export const FORECASTS = {
  title: "Filling up",
  all: "Forecasts",
  caption: "Disks, inodes and memory expected to fill up within 30 days",
  label: "Forecast",
  what: (type: number) => WHAT[type] ?? "Value",
  /** What comes before `fullIn`. */
  prefix: (type: number) => `${WHAT[type] ?? "Value"}:`,
  explanation: "80 % likely to fill up within the range in brackets.",
  columns: { host: "Host", service: "Service", what: "What", full: "Full in", usage: "Used" },
  days: (forecast: Days) => `${counted(Math.round(forecast.days), "day")} (${rangeText(forecast)})`,
  more: (count: number) => `${formatNumber(count, 0)} more`,
} as const;
