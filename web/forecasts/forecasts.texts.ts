/** All texts about forecasts. */
import { counted, formatNumber } from "../text/format.ts";

/** The part of a forecast that texts need: days from now. */
export interface Days {
  days: number;
  daysfrom: number;
  daysto: number | null;
}

const WHAT: Readonly<Record<number, string>> = { 4: "Memory", 18: "Space", 21: "Inodes" };

/** "5 to 16", of which the ends are whole days. */
function range({ daysfrom, daysto }: Days): string {
  const from = Math.floor(daysfrom);
  if (daysto === null) return `${formatNumber(from, 0)} or more`;
  return `${formatNumber(from, 0)} to ${formatNumber(Math.ceil(daysto), 0)}`;
}

/** "Full in 9 days (5 to 16)". */
export function fullIn(forecast: Days): string {
  const days = Math.round(forecast.days);
  return `Full ${days === 0 ? "today" : `in ${counted(days, "day")}`} (${range(forecast)})`;
}

export const FORECASTS = {
  title: "Full soon",
  caption: "Disks, inodes and memory that will be full within 30 days",
  label: "Forecast",
  what: (type: number) => WHAT[type] ?? "Value",
  growth: (growth: number) => `grows by ${formatNumber(growth, growth < 1 ? 2 : 1)} % a day`,
  explanation: "Four times out of five it is full within the range in brackets.",
  columns: { host: "Host", service: "Service", what: "What", full: "Full in", usage: "Used" },
  days: (forecast: Days) => `${counted(Math.round(forecast.days), "day")} (${range(forecast)})`,
  more: (count: number) => `${counted(count, "more")}`,
} as const;
