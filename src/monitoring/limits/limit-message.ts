/** The messages of events of limits. Pure. */
import { CPU_PARTS } from "../../monit/cpu-usage.ts";
import { STATISTIC_NAMES, STATISTIC_UNITS, type StatisticUnit } from "../../monit/statistic-types.ts";
import { MINUTE } from "../../platform/clock.ts";
import { LIMIT_LEVEL, type LimitLevel } from "../health/health.ts";
import { durationText } from "../uptime/duration.ts";
import type { Limit } from "./limit.ts";
import { firstBound } from "./limit-state.ts";
import { type MonthSum, type Months, outlookOf } from "./month-sum.ts";

/** Bytes in a unit of data. */
const DATA_UNITS: Readonly<Partial<Record<StatisticUnit, number>>> = { bytes: 1, kB: 1024, MB: 1_048_576 };
const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;
const SIZE_STEP = 1024;
/** Digits after the point of a value, and the most digits that are shown to tell a value from the bound beside it. */
const DECIMALS = 2;
const MAX_DECIMALS = 6;

function rounded(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

/** A size with its unit: "1.5 GiB". */
export function sizeText(bytes: number, decimals = DECIMALS): string {
  const step = Math.floor(Math.log(Math.max(1, Math.abs(bytes))) / Math.log(SIZE_STEP));
  const size = Math.min(SIZES.length - 1, step);
  return `${rounded(bytes / SIZE_STEP ** size, decimals)} ${SIZES[size]}`;
}

/** Seconds, or milliseconds if it is less than one second. */
function secondsText(seconds: number, decimals: number): string {
  const isShort = seconds !== 0 && Math.abs(seconds) < 1;
  return isShort ? `${rounded(seconds * 1000, decimals)} ms` : `${rounded(seconds, decimals)} s`;
}

/** A value of a type of statistic with its unit: "93.2 %", "1.5 GiB", "2.1 ms". */
export function typedValueText(type: number, value: number, decimals = DECIMALS): string {
  const unit = STATISTIC_UNITS[type] ?? "none";
  const factor = DATA_UNITS[unit];
  if (factor !== undefined) return sizeText(value * factor, decimals);
  if (unit === "percent") return `${rounded(value, decimals)} %`;
  if (unit === "seconds") return secondsText(value, decimals);
  const text = rounded(value, decimals);
  return ["none", "count", "id"].includes(unit) ? text : `${text} ${unit}`;
}

/** A value of the limit's statistic with its unit. */
function valueText({ statistics }: Limit, value: number, decimals = DECIMALS): string {
  return typedValueText(statistics[0] ?? -1, value, decimals);
}

/** A value that is compared with a bound, with enough decimals to tell the two apart: "800.003 GiB", not "800 GiB". */
function comparedText(limit: Limit, value: number, bound: number): string {
  for (let decimals = DECIMALS; decimals <= MAX_DECIMALS; decimals++) {
    const text = valueText(limit, value, decimals);
    if (text !== valueText(limit, bound, decimals)) return text;
  }
  return valueText(limit, value);
}

function namesOf({ statistics }: Limit): string[] {
  return statistics.map((code) => STATISTIC_NAMES[code] ?? `statistic ${code}`);
}

/** "space usage", "CPU usage", "memory usage + swap usage", "load average per processor". */
function subjectOf(limit: Limit): string {
  const { statistics, descriptor, perprocessor } = limit;
  const isOfCpu = statistics.length > 1 && statistics.every((code) => CPU_PARTS.includes(code));
  const name = isOfCpu ? "CPU usage" : namesOf(limit).join(" + ");
  const of = descriptor === "" ? "" : ` (${descriptor})`;
  return `${name}${of}${perprocessor ? " per processor" : ""}`;
}

/** "above 90 %". @param bound in the unit of the statistic */
function boundText(limit: Limit, bound: number): string {
  return `${limit.direction === "below" ? "below" : "above"} ${valueText(limit, bound)}`;
}

/** A sum of the month, with what it means for the rest of the month. */
export interface MonthUsage {
  sum: MonthSum;
  months: Months;
}

function dateText(at: number, timezone: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: timezone, ...options }).format(at * 1000);
}

/** "812.4 GiB of download total and upload total in November 2026". */
function monthText(limit: Limit, { sum: { at }, months }: MonthUsage, used: string): string {
  const month = dateText(at, months.timezone, { month: "long", year: "numeric" });
  return `${used} of ${namesOf(limit).join(" and ")} in ${month}`;
}

/**
 * " 1 TiB will be used up on 24 November." for the next bound that is reached within the month; "" if there is none.
 */
function outlookText(limit: Limit, { sum, months }: MonthUsage): string {
  const outlook = outlookOf(sum, months.holding(sum.at).to);
  for (const bound of [limit.warning, limit.critical]) {
    const reached = bound === null ? null : outlook.reaches(bound);
    if (bound === null || reached === null) continue;
    const day = dateText(reached, months.timezone, { day: "numeric", month: "long" });
    return ` At this rate, ${valueText(limit, bound)} will be used up on ${day}.`;
  }
  return "";
}

function helpOf({ note, runbook }: Limit): string {
  return [note === "" ? "" : ` ${note}`, runbook === "" ? "" : ` Runbook: ${runbook}`].join("");
}

/**
 * Message of a failure.
 * @param value null if the failure is that there is no value
 * @param usage of a limit on a month's sum; null otherwise
 */
export function failureText(
  limit: Limit,
  level: LimitLevel,
  value: number | null,
  usage: MonthUsage | null,
): string {
  const subject = subjectOf(limit);
  const isCritical = level === LIMIT_LEVEL.critical;
  const bound = (isCritical ? limit.critical : firstBound(limit)) ?? 0;
  const severity = isCritical ? "critical" : "warning";
  if (usage !== null && value !== null) {
    const month = monthText(limit, usage, comparedText(limit, usage.sum.sum, bound));
    return `${limit.name}: ${month}, ${boundText(limit, bound)} (${severity}).${outlookText(limit, usage)}${helpOf(limit)}`;
  }
  const duration = limit.minutes > 0 ? ` for ${durationText(limit.minutes * MINUTE)}` : "";
  const condition =
    value === null
      ? `no value of ${subject}`
      : `${subject} is ${comparedText(limit, value, bound)}, ${boundText(limit, bound)}${duration}`;
  return `${limit.name}: ${condition} (${severity}).${helpOf(limit)}`;
}

/** Message when the value is within the limit again. @param usage of a limit on a month's sum; null otherwise */
export function recoveryText(limit: Limit, value: number | null, usage: MonthUsage | null): string {
  const subject = subjectOf(limit);
  if (value === null) return `${limit.name}: there is no value of ${subject} any more`;
  const bound = firstBound(limit);
  const no = bound === null ? "" : `, no longer ${boundText(limit, bound)}`;
  if (usage !== null)
    return `${limit.name}: ${monthText(limit, usage, valueText(limit, usage.sum.sum))}${no}`;
  return `${limit.name}: ${subject} is ${valueText(limit, value)}${no}`;
}
