import { because, errors } from "../../platform/http/errors.ts";
import type { Interval } from "./intervals.ts";

/** Range codes of the API specification. */
export const RANGES = [0, 5, 6, 7, 8, 9, 12] as const;
export type Range = (typeof RANGES)[number];

export const TODAY = 0;
export const CUSTOM = 12;

/** For the documentation of operations that take a range. */
export const noRangeStart = because(errors.missingArgument, "Range 12 was given without datefrom");

const BACK: Readonly<Record<number, Temporal.DurationLike>> = {
  5: { days: 7 },
  6: { months: 1 },
  7: { months: 3 },
  8: { months: 6 },
  9: { years: 1 },
};

export interface RangeArguments {
  range: Range;
  datefrom?: number | undefined;
  dateto?: number | undefined;
}

function unixSeconds(time: Temporal.ZonedDateTime): number {
  return Math.floor(time.epochMilliseconds / 1000);
}

/**
 * The window of a report, in unix seconds. Days and months follow the calendar in `timeZone`, so a day with
 * a clock change has 23 or 25 hours.
 * @throws ApiError 400 if a custom range has no start or ends before it
 */
export function reportWindow(given: RangeArguments, now: number, timeZone: string): Interval {
  if (given.range === CUSTOM) {
    const { datefrom, dateto = now } = given;
    if (datefrom === undefined) throw errors.missingArgument("datefrom", "the start of a custom range");
    if (datefrom >= dateto) throw errors.badArgument("datefrom", "before dateto");
    return { from: datefrom, to: dateto };
  }
  const here = Temporal.Instant.fromEpochMilliseconds(now * 1000).toZonedDateTimeISO(timeZone);
  const start = given.range === TODAY ? here.startOfDay() : here.subtract(BACK[given.range] ?? {});
  return { from: unixSeconds(start), to: now };
}
