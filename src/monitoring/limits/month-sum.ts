/** How much counters have grown since the start of a calendar month. Pure. */
import { DAY, HOUR } from "../../platform/clock.ts";
import type { Interval } from "../uptime/intervals.ts";

/** Seconds that have to be counted before anything is predicted from them. */
const PREDICTABLE = DAY;

/** The calendar months of a time zone. */
export class Months {
  #last: Interval = { from: 0, to: 0 };

  /** @param timezone an IANA name */
  constructor(readonly timezone: string) {}

  /** The month that holds a time: from its first second on, up to that of the next month. @param at unix seconds */
  holding(at: number): Interval {
    if (this.#last.from <= at && at < this.#last.to) return this.#last;
    const first = Temporal.Instant.fromEpochMilliseconds(at * 1000)
      .toZonedDateTimeISO(this.timezone)
      .with({ day: 1 })
      .startOfDay();
    const secondsOf = ({ epochMilliseconds }: Temporal.ZonedDateTime) => Math.floor(epochMilliseconds / 1000);
    this.#last = { from: secondsOf(first), to: secondsOf(first.add({ months: 1 }).startOfDay()) };
    return this.#last;
  }

  /**
   * Whether the month that holds `at` begins within this hour, not with it, as in Asia/Kolkata.
   * @param hour its start
   */
  beginsWithin(hour: number, at: number): boolean {
    const { from } = this.holding(at);
    return hour < from && from < hour + HOUR;
  }
}

/** The sum of some counters in a month. Never changed: a message gives a new one. */
export interface MonthSum {
  /** When the month began, unix seconds. */
  readonly from: number;
  /** Since when it is counted: since the start of the month, unless the first value came later. */
  readonly countedFrom: number;
  readonly sum: number;
  /** When the last message with a counter was received. */
  readonly at: number;
  /** The last known value of each counter, NaN if there is none yet, and when it was received. */
  readonly values: Float64Array;
  readonly times: Float64Array;
}

/** Before the first message. @param counters how many are added */
export function emptySum(counters: number): MonthSum {
  const unknown = new Float64Array(counters).fill(Number.NaN);
  return { from: 0, countedFrom: 0, sum: 0, at: 0, values: unknown, times: unknown };
}

/** Whether any counter is known. */
export function isCounted({ at }: MonthSum): boolean {
  return at > 0;
}

/**
 * The growth of a counter within a month. A counter that is lower than before began at 0 again. Growth across the start
 * of the month is divided in proportion to time.
 */
function growth(before: number, since: number, value: number, at: number, from: number): number {
  const grown = value >= before ? value - before : value;
  return since >= from || at <= since ? grown : (grown * (at - from)) / (at - since);
}

/**
 * The sum after a message. A message without any of the counters changes nothing, nor does the same message again.
 * @param counterOf the value of a counter; negative or NaN if the message has none
 * @param at when it was received, unix seconds
 */
export function withCounters(
  before: MonthSum,
  counterOf: (counter: number) => number,
  at: number,
  months: Months,
): MonthSum {
  const { from } = months.holding(at);
  const isOther = from !== before.from;
  let sum = isOther ? 0 : before.sum;
  let { values, times } = before;
  for (let i = 0; i < values.length; i++) {
    const value = counterOf(i);
    if (!(value >= 0)) continue;
    if (values === before.values) [values, times] = [values.slice(), times.slice()];
    const [last, since] = [before.values[i] as number, before.times[i] as number];
    if (!Number.isNaN(last)) sum += growth(last, since, value, at, from);
    values[i] = value;
    times[i] = at;
  }
  if (values === before.values) return before;
  const countedFrom = !isCounted(before) ? at : isOther ? from : before.countedFrom;
  return { from, countedFrom, sum, at: Math.max(at, before.at), values, times };
}

/** What a sum will be, if it keeps growing as it has since the start of its month. */
export interface Outlook {
  /** The sum at the end of the month; null before a day is counted. */
  atEnd: number | null;
  /** When it reaches a value, unix seconds; null if that is not foreseen for this month, or it is reached. */
  reaches: (value: number) => number | null;
}

/** Extrapolates a sum at its average rate. @param to end of the month, unix seconds */
export function outlookOf(
  { sum, countedFrom, at }: Pick<MonthSum, "sum" | "countedFrom" | "at">,
  to: number,
): Outlook {
  const counted = at - countedFrom;
  if (counted < PREDICTABLE) return { atEnd: null, reaches: () => null };
  const rate = sum / counted;
  return {
    atEnd: sum + rate * Math.max(0, to - at),
    reaches: (value) => {
      const when = at + (value - sum) / rate;
      return value > sum && when < to ? Math.ceil(when) : null;
    },
  };
}
