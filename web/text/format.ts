import { roundedUptime, wholePercent } from "../../src/monitoring/uptime/uptime-text.ts";

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const TIME_UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** The language of the browser, in which it writes numbers and dates. */
const language = () => globalThis.navigator?.language || "en";

/** Formats by their options. Creating one costs as much as a hundred uses. */
const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** The format for this key, created at its first use. */
function cached<T>(formats: Map<string, T>, key: string, make: () => T): T {
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format;
}

/**
 * A number with at most `digits` decimals, without trailing zeros, with separators of thousands. A number that rounds
 * to 0 has no sign.
 */
export function formatNumber(value: number, digits = 1): string {
  const make = () =>
    new Intl.NumberFormat(language(), { maximumFractionDigits: digits, signDisplay: "negative" });
  return cached(numberFormats, `up to ${digits}`, make).format(value);
}

/** A number with this many decimals. */
export function formatFixed(value: number, digits: number): string {
  const make = () =>
    new Intl.NumberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return cached(numberFormats, `exactly ${digits}`, make).format(value);
}

/** The phrase with a capital first letter. */
export function capitalize(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** "3 hosts", "1 host". */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count, 0)} ${count === 1 ? singular : plural}`;
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

/** A percentage with exactly these decimals: "12.5 %". The value is in percent, not a fraction. */
export function formatPercent(value: number, digits = 1): string {
  return `${formatFixed(value, digits)} %`;
}

/**
 * A usage in percent where there is little space: "9.5 %", "64 %". Only 100 shows as 100: below it, a disk still has
 * space left.
 */
export function formatUsage(percent: number): string {
  return percent < 10 ? formatPercent(percent) : formatPercent(wholePercent(percent), 0);
}

/** An uptime in percent, rounded down so that only 100 shows as 100. */
export function formatUptime(percent: number): string {
  if (percent >= 100) return "100 %";
  return `${formatFixed(roundedUptime(percent), 3)} %`;
}

/**
 * Times this little in the future show as "now", because the clocks of browser and service differ slightly.
 */
const CLOCK_SLACK_SECONDS = 5;

/** Distance of two unix times in one unit: "12 s ago", "in 3 h". */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 1 || (at > now && distance <= CLOCK_SLACK_SECONDS)) return "now";
  return at <= now ? `${formatSpan(distance)} ago` : `in ${formatRemaining(distance)}`;
}

/**
 * A remaining time in one unit, rounded to the nearest: of 30 days, "30 d" is left for the first twelve hours, not
 * "29 d" from the first second on.
 */
function formatRemaining(seconds: number): string {
  const [size] = TIME_UNITS.find(([length]) => seconds >= length) ?? [1];
  return formatSpan(Math.round(seconds / size) * size);
}

/** A duration in its largest unit, rounded down: "12 s", "7 h". */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, seconds);
  const [size, unit] = TIME_UNITS.find(([length]) => whole >= length) ?? [1, "s"];
  return `${Math.floor(whole / size)} ${unit}`;
}

/** A duration in its two largest units, without a second one of zero: "2 d 3 h", "10 min". */
export function formatDuration(seconds: number): string {
  const [size] = TIME_UNITS.find(([length]) => seconds >= length) ?? [1];
  const rest = seconds % size;
  const next = TIME_UNITS.find(([length]) => length < size);
  if (!next || rest < next[0]) return formatSpan(seconds);
  return `${formatSpan(seconds)} ${Math.floor(rest / next[0])} ${next[1]}`;
}

const DATE = { year: "numeric", month: "short", day: "numeric" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit" } as const;

/** A unix time in the language of the browser. @param timeZone an IANA name; that of the browser if absent */
function formatTime(at: number, options: Intl.DateTimeFormatOptions, timeZone?: string): string {
  const make = () => new Intl.DateTimeFormat(language(), { ...options, ...(timeZone && { timeZone }) });
  return cached(dateFormats, [...Object.keys(options), timeZone].join(), make).format(at * 1000);
}

/** "9 Mar 2026, 14:05:07". */
export function formatAbsolute(at: number): string {
  return formatTime(at, { ...DATE, ...CLOCK, second: "2-digit" });
}

/** "Mon 9 Mar 2026, 14:05:07". */
export function formatMoment(at: number): string {
  return formatTime(at, { weekday: "short", ...DATE, ...CLOCK, second: "2-digit" });
}

/** "9 Mar 2026, 14:05". */
export function formatMinute(at: number, timeZone?: string): string {
  return formatTime(at, { ...DATE, ...CLOCK }, timeZone);
}

/** Times that are less than this apart are clear without a date, also across midnight. Seconds. */
const NEAR_SECONDS = 12 * 3600;

function isNear(at: number, other: number, timeZone?: string): boolean {
  return Math.abs(at - other) < NEAR_SECONDS || formatDate(at, timeZone) === formatDate(other, timeZone);
}

/** "9 Mar 2026, 14:05", or only the time if `other` is on the same day or less than 12 hours away. */
export function formatMinuteNear(at: number, other: number, timeZone?: string): string {
  return isNear(at, other, timeZone) ? formatClock(at, timeZone) : formatMinute(at, timeZone);
}

/** "14:05" if another time is on the same day or less than 12 hours away, otherwise "9 Mar 2026". */
export function formatClockOrDate(at: number, other: number): string {
  return isNear(at, other) ? formatClock(at) : formatDate(at);
}

/** "9 Mar 2026". */
export function formatDate(at: number, timeZone?: string): string {
  return formatTime(at, DATE, timeZone);
}

/** "14:05". */
export function formatClock(at: number, timeZone?: string): string {
  return formatTime(at, CLOCK, timeZone);
}

/** "14:05:07". */
export function formatSecond(at: number): string {
  return formatTime(at, { ...CLOCK, second: "2-digit" });
}

/** "9 Mar", for axes, where the year is clear. */
export function formatDay(at: number): string {
  return formatTime(at, { month: "short", day: "numeric" });
}

/** "Mon 9 Mar". */
export function formatWeekday(at: number): string {
  return formatTime(at, { weekday: "short", month: "short", day: "numeric" });
}

const two = (value: number) => String(value).padStart(2, "0");

/** "2026-03-09" in the browser's time zone, as the API and inputs write it. */
export function isoDate(at: number): string {
  const date = new Date(at * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Value of a datetime-local input for a unix time. */
export function toLocalInput(at: number): string {
  const date = new Date(at * 1000);
  return `${isoDate(at)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Value of a datetime-local input that takes seconds. */
export function toLocalSeconds(at: number): string {
  return `${toLocalInput(at)}:${two(new Date(at * 1000).getSeconds())}`;
}

/**
 * Unix time of the value of a datetime-local input; null when it is empty. An input that was not changed keeps its
 * exact time, with seconds that it does not show, also in the hour that clocks repeat in autumn.
 * @param initial the time that the input showed first; null: none
 * @param toInput how it showed that time
 */
export function fromLocalInput(
  text: string,
  initial: number | null = null,
  toInput: (at: number) => string = toLocalInput,
): number | null {
  if (initial !== null && text === toInput(initial)) return initial;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}
