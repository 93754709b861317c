import { because, errors } from "../../platform/http/errors.ts";
import type { Interval } from "./intervals.ts";

/** Range codes of the API specification. */
const SPECIFIED = [0, 5, 6, 7, 8, 9, 12] as const;
/** All ranges: those of the specification, and calendar months, quarters and years. */
export const RANGES = [...SPECIFIED, 100, 101, 102, 103, 104, 105] as const;
export type SpecifiedRange = (typeof SPECIFIED)[number];
export type Range = (typeof RANGES)[number];

export const TODAY = 0;
export const CUSTOM = 12;

/** For the documentation of operations that take a range. */
export const noRangeStart = because(errors.missingArgument, "Range 12 without datefrom");

const BACK: Readonly<Record<number, Temporal.DurationLike>> = {
  5: { days: 7 },
  6: { months: 1 },
  7: { months: 3 },
  8: { months: 6 },
  9: { years: 1 },
};

/** Calendar periods: their length in months, and whether it is the last complete one rather than the current one. */
const PERIODS: Readonly<Record<number, { months: number; isLast: boolean }>> = {
  100: { months: 1, isLast: false },
  101: { months: 1, isLast: true },
  102: { months: 3, isLast: false },
  103: { months: 3, isLast: true },
  104: { months: 12, isLast: false },
  105: { months: 12, isLast: true },
};

export interface RangeArguments {
  range: Range;
  datefrom?: number | undefined;
  dateto?: number | undefined;
}

/** A range whose dates alone imply a custom one. */
export interface RangeOrDates extends Omit<RangeArguments, "range"> {
  /** Without it, the custom range if there is a datefrom, otherwise today. */
  range?: Range | undefined;
}

function unixSeconds(time: Temporal.ZonedDateTime): number {
  return Math.floor(time.epochMilliseconds / 1000);
}

/** The start of the calendar period of `months` months that contains a time. */
function periodStart(local: Temporal.ZonedDateTime, months: number): Temporal.ZonedDateTime {
  const month = local.month - ((local.month - 1) % months);
  return local.with({ month, day: 1 }).startOfDay();
}

/**
 * The period of a report, unix seconds. The end of a period that is still running is in the future. Days and months
 * follow the calendar in `timeZone`, so a day with a clock change has 23 or 25 hours.
 * @throws ApiError 400 if a custom range has no start or ends before it
 */
export function reportPeriod(request: RangeArguments, now: number, timeZone: string): Interval {
  if (request.range === CUSTOM) {
    const { datefrom, dateto = now } = request;
    if (datefrom === undefined) throw errors.missingArgument("datefrom", "the start of a custom range");
    if (datefrom >= dateto) throw errors.badArgument("datefrom", "before dateto");
    return { from: datefrom, to: dateto };
  }
  const local = Temporal.Instant.fromEpochMilliseconds(now * 1000).toZonedDateTimeISO(timeZone);
  const period = PERIODS[request.range];
  if (period) {
    const start = periodStart(local, period.months);
    const before = periodStart(start.subtract({ days: 1 }), period.months);
    return period.isLast
      ? { from: unixSeconds(before), to: unixSeconds(start) }
      : { from: unixSeconds(start), to: unixSeconds(start.add({ months: period.months }).startOfDay()) };
  }
  if (request.range === TODAY) {
    const start = local.startOfDay();
    return { from: unixSeconds(start), to: unixSeconds(start.add({ days: 1 }).startOfDay()) };
  }
  return { from: unixSeconds(local.subtract(BACK[request.range] ?? {})), to: now };
}

/** The window of a report: its period up to now. A custom range ends as requested. @throws ApiError 400 */
export function reportWindow(request: RangeOrDates, now: number, timeZone: string): Interval {
  const range = request.range ?? (request.datefrom === undefined ? TODAY : CUSTOM);
  const { from, to } = reportPeriod({ ...request, range }, now, timeZone);
  return { from, to: range === CUSTOM ? to : Math.min(to, now) };
}
