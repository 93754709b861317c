export { durationText as formatDuration } from "../../src/monitoring/uptime/duration.ts";

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const TIME_UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** At most `digits` decimals, no trailing zeros, thousands apart. */
export function formatNumber(value: number, digits = 1): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** A phrase with a capital at its beginning. */
export function capitalize(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** "3 hosts", "1 host". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count, 0)} ${count === 1 ? one : many}`;
}

/** Bytes in the largest binary unit that leaves at least 1: "1.5 GiB". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${formatNumber(value, value < 10 && unit > 0 ? 1 : 0)} ${BYTE_UNITS[unit]}`;
}

export function formatPercent(value: number, digits = 1): string {
  return `${value.toFixed(digits)} %`;
}

/** Uptime percent: 100 only when it is; never rounded up to it. */
export function formatUptime(percent: number): string {
  if (percent >= 100) return "100 %";
  return `${(Math.floor(percent * 1000) / 1000).toFixed(3)} %`;
}

/** The page and the service agree on the time to within this. */
const CLOCK_SLACK_SECONDS = 5;

/** How long ago (or ahead), in one unit: "12 s ago", "in 3 h". Both in unix seconds. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 1 || (at > now && distance <= CLOCK_SLACK_SECONDS)) return "now";
  const [size, unit] = TIME_UNITS.find(([seconds]) => distance >= seconds) ?? [1, "s"];
  const text = `${Math.floor(distance / size)} ${unit}`;
  return at <= now ? `${text} ago` : `in ${text}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** "2026-03-09 14:05:07" in the browser's time zone. */
export function formatAbsolute(at: number): string {
  return `${formatDate(at)} ${formatClock(at)}:${two(new Date(at * 1000).getSeconds())}`;
}

/** "2026-03-09" in the browser's time zone. */
export function formatDate(at: number): string {
  const date = new Date(at * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** "14:05" in the browser's time zone. */
export function formatClock(at: number): string {
  const date = new Date(at * 1000);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Value of a datetime-local input from unix seconds, and back; null when there is none. */
export function toLocalInput(at: number): string {
  return `${formatDate(at)}T${formatClock(at)}`;
}

export function fromLocalInput(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}
