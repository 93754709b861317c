/** The calendar of reports: which period a report covers, and when it is sent. Pure functions. */
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { dateAt, instantOf } from "../../platform/local-time.ts";
import type { REPORT_PERIODS } from "../../platform/storage/schema/reports.ts";

export type ReportPeriod = (typeof REPORT_PERIODS)[number];

/** When a report is sent: at this hour, 0 to 23, of the day after its period. Weeks begin on Monday. */
export interface ReportSchedule {
  period: ReportPeriod;
  hour: number;
}

/** One period of a report, from midnight to midnight of the time zone: its days may have 23 or 25 hours. */
export interface CoveredPeriod extends Interval {
  /** The local date after the period, as in 2026-11-01. It orders the periods of a report. */
  day: string;
  /** When the report is sent, unix seconds. */
  dueAt: number;
}

const LENGTH: Readonly<Record<ReportPeriod, Temporal.DurationLike>> = {
  daily: { days: 1 },
  weekly: { weeks: 1 },
  monthly: { months: 1 },
};

/** The last day on or before `date` that follows a period. */
function dayAfterPeriod(period: ReportPeriod, date: Temporal.PlainDate): Temporal.PlainDate {
  if (period === "daily") return date;
  if (period === "monthly") return date.with({ day: 1 });
  return date.subtract({ days: date.dayOfWeek - 1 });
}

function periodBefore(day: Temporal.PlainDate, { period, hour }: ReportSchedule, timezone: string) {
  const midnight = (date: Temporal.PlainDate) => instantOf(date, "00:00", timezone);
  return {
    day: day.toString(),
    from: midnight(day.subtract(LENGTH[period])),
    to: midnight(day),
    dueAt: instantOf(day, `${String(hour).padStart(2, "0")}:00`, timezone),
  };
}

/** The newest period of a report that is due by `at`. @param timezone an IANA name */
export function newestDue(schedule: ReportSchedule, at: number, timezone: string): CoveredPeriod {
  const day = dayAfterPeriod(schedule.period, dateAt(at, timezone));
  const lastPeriod = periodBefore(day, schedule, timezone);
  return lastPeriod.dueAt <= at
    ? lastPeriod
    : periodBefore(day.subtract(LENGTH[schedule.period]), schedule, timezone);
}

/** The newest period that has ended by `at`, whether or not its report is due. */
export function newestOver({ period }: Pick<ReportSchedule, "period">, at: number, timezone: string) {
  return newestDue({ period, hour: 0 }, at, timezone);
}

/** The period before the one that begins at `from`. @param timezone an IANA name */
export function periodEndingAt(period: ReportPeriod, from: number, timezone: string): Interval {
  const day = dateAt(from, timezone);
  return { from: instantOf(day.subtract(LENGTH[period]), "00:00", timezone), to: from };
}

/** When a report is next sent after `at`, unix seconds. */
export function nextDue(schedule: ReportSchedule, at: number, timezone: string): number {
  const { day } = newestDue(schedule, at, timezone);
  const next = Temporal.PlainDate.from(day).add(LENGTH[schedule.period]);
  return periodBefore(next, schedule, timezone).dueAt;
}

/** Whether a report lists what may be forgotten: weekly and monthly ones always do, daily ones only for a Sunday. */
export function listsForgotten(period: ReportPeriod, { to }: Interval, timezone: string): boolean {
  return period !== "daily" || dateAt(to, timezone).dayOfWeek === 1;
}

/** Whether a day is further in the future than another time zone would explain. */
export function isFuture(day: string, at: number, timezone: string): boolean {
  return day > dateAt(at, timezone).add({ days: 1 }).toString();
}

/** The days of a period: "2026-11-21", or "2026-11-16 to 2026-11-22". */
export function daysText({ from, to }: Interval, timezone: string): string {
  const [first, last] = [dateAt(from, timezone).toString(), dateAt(to - 1, timezone).toString()];
  return first === last ? first : `${first} to ${last}`;
}
