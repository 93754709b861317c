export { durationText as formatDuration } from "../../src/monitoring/uptime/duration.ts";

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const TIME_UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A number with at most `digits` decimals, without trailing zeros, with separators of thousands. */
export function formatNumber(value: number, digits = 1): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** The phrase with a capital first letter. */
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

/** An uptime in percent, rounded down so that only 100 shows as 100. */
export function formatUptime(percent: number): string {
  if (percent >= 100) return "100 %";
  return `${(Math.floor(percent * 1000) / 1000).toFixed(3)} %`;
}

/**
 * Times this little in the future show as "now", because the clocks of browser and service differ slightly.
 */
const CLOCK_SLACK_SECONDS = 5;

/** Distance of two unix times in one unit: "12 s ago", "in 3 h". */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 1 || (at > now && distance <= CLOCK_SLACK_SECONDS)) return "now";
  const text = formatSpan(distance);
  return at <= now ? `${text} ago` : `in ${text}`;
}

/** A duration in one unit: "12 s", "7 h". */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, seconds);
  const [size, unit] = TIME_UNITS.find(([length]) => whole >= length) ?? [1, "s"];
  return `${Math.floor(whole / size)} ${unit}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** "2026-03-09 14:05:07" in the browser's time zone. */
export function formatAbsolute(at: number): string {
  return `${formatDate(at)} ${formatClock(at)}:${two(new Date(at * 1000).getSeconds())}`;
}

/** "2026-03-09 14:05" in the browser's time zone. */
export function formatMinute(at: number): string {
  return `${formatDate(at)} ${formatClock(at)}`;
}

/** "2026-03-09 14:05", or the time alone on the day of another time. */
export function formatMinuteNear(at: number, other: number): string {
  return formatDate(at) === formatDate(other) ? formatClock(at) : formatMinute(at);
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

/** "9 Mar" in the browser's time zone, for axes, where the year is clear. */
export function formatDay(at: number): string {
  return new Date(at * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** Value of a datetime-local input for a unix time. */
export function toLocalInput(at: number): string {
  return `${formatDate(at)}T${formatClock(at)}`;
}

/** Unix time of the value of a datetime-local input; null when it is empty. */
export function fromLocalInput(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}
