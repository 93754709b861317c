/** The messages of events of limits. Pure. */
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
/** Digits after the point of a value in a message. */
const DECIMALS = 2;

function rounded(value: number): string {
  return String(Number(value.toFixed(DECIMALS)));
}

/** A size with its unit: "1.5 GiB". */
export function sizeText(bytes: number): string {
  const step = Math.floor(Math.log(Math.max(1, Math.abs(bytes))) / Math.log(SIZE_STEP));
  const size = Math.min(SIZES.length - 1, step);
  return `${rounded(bytes / SIZE_STEP ** size)} ${SIZES[size]}`;
}

/** A value of a type of statistic with its unit: "93.2 %", "1.5 GiB". */
export function typedValueText(type: number, value: number): string {
  const unit = STATISTIC_UNITS[type] ?? "none";
  const factor = DATA_UNITS[unit];
  if (factor !== undefined) return sizeText(value * factor);
  if (unit === "percent") return `${rounded(value)} %`;
  if (unit === "seconds") return `${rounded(value)} s`;
  return ["none", "count", "id"].includes(unit) ? rounded(value) : `${rounded(value)} ${unit}`;
}

/** A value of the limit's statistic with its unit. */
export function valueText({ statistics }: Limit, value: number): string {
  return typedValueText(statistics[0] ?? -1, value);
}

/** "space usage", "CPU usage", "load average per processor". */
export function subjectOf({ statistics, descriptor, perprocessor }: Limit): string {
  const [first = -1] = statistics;
  const name = STATISTIC_NAMES[first] ?? `statistic ${first}`;
  // The parts of CPU usage are added.
  const whole = statistics.length > 1 ? name.replace(/ (?:user|system|wait)$/, "") : name;
  const of = descriptor === "" ? "" : ` (${descriptor})`;
  return `${whole}${of}${perprocessor ? " per processor" : ""}`;
}

/** "above 90 %". @param bound in the unit of the statistic */
export function boundText(limit: Limit, bound: number): string {
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
function monthText(limit: Limit, { sum: { sum, at }, months }: MonthUsage): string {
  const names = limit.statistics.map((code) => STATISTIC_NAMES[code] ?? `statistic ${code}`);
  const month = dateText(at, months.timezone, { month: "long", year: "numeric" });
  return `${valueText(limit, sum)} of ${names.join(" and ")} in ${month}`;
}

/** " 1 TiB will be used up on 24 November." for the bound that comes next; empty if none is foreseen to. */
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
  usage: MonthUsage | null = null,
): string {
  const subject = subjectOf(limit);
  const isCritical = level === LIMIT_LEVEL.critical;
  const bound = (isCritical ? limit.critical : firstBound(limit)) ?? 0;
  const severity = isCritical ? "critical" : "warning";
  if (usage !== null && value !== null)
    return `${limit.name}: ${monthText(limit, usage)}, ${boundText(limit, bound)} (${severity}).${outlookText(limit, usage)}${helpOf(limit)}`;
  const duration = limit.minutes > 0 ? ` for ${durationText(limit.minutes * MINUTE)}` : "";
  const condition =
    value === null
      ? `no value of ${subject}`
      : `${subject} is ${valueText(limit, value)}, ${boundText(limit, bound)}${duration}`;
  return `${limit.name}: ${condition} (${severity}).${helpOf(limit)}`;
}

/** Message when the value is within the limit again. @param usage of a limit on a month's sum; null otherwise */
export function recoveryText(limit: Limit, value: number | null, usage: MonthUsage | null = null): string {
  const subject = subjectOf(limit);
  if (value === null) return `${limit.name}: there is no value of ${subject} any more`;
  const bound = firstBound(limit);
  const no = bound === null ? "" : `, no longer ${boundText(limit, bound)}`;
  if (usage !== null) return `${limit.name}: ${monthText(limit, usage)}${no}`;
  return `${limit.name}: ${subject} is ${valueText(limit, value)}${no}`;
}
