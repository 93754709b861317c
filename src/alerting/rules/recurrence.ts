/** Time windows that begin at a local time on given weekdays. Pure functions. */
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { dateAt, instantOf } from "../../platform/local-time.ts";

/** The beginning of recurring windows. */
export interface Recurrence {
  /** Weekdays on which a window begins: 0 Sunday to 6 Saturday. */
  days: number[];
  /** HH:MM. */
  from: string;
  /** IANA name. */
  timezone: string;
}

/**
 * The windows that begin on the dates around `at`, in order.
 * @param back number of days before the date of `at`; `ahead` is the number after it
 * @param endOf when the window that begins on a date ends, unix seconds
 */
function windowsAround(
  recurrence: Recurrence,
  at: number,
  [back, ahead]: readonly [number, number],
  endOf: (date: Temporal.PlainDate, from: number) => number,
): Interval[] {
  const { days, from, timezone } = recurrence;
  const today = dateAt(at, timezone);
  const dates = Array.from({ length: back + ahead + 1 }, (_, i) => today.add({ days: i - back }));
  return dates
    .filter((date) => days.includes(date.dayOfWeek % 7))
    .map((date) => {
      const start = instantOf(date, from, timezone);
      return { from: start, to: endOf(date, start) };
    });
}

/**
 * The window that contains `at`. Overlapping windows count as one, from the first beginning to the last end.
 * @param longest the most days that a window lasts
 */
export function windowHolding(
  recurrence: Recurrence,
  at: number,
  longest: number,
  endOf: (date: Temporal.PlainDate, from: number) => number,
): Interval | null {
  const holding = windowsAround(recurrence, at, [longest + 1, 0], endOf).filter(
    ({ from, to }) => from <= at && at < to,
  );
  if (holding.length === 0) return null;
  return {
    from: Math.min(...holding.map(({ from }) => from)),
    to: Math.max(...holding.map(({ to }) => to)),
  };
}

/** When the next window after `at` begins, unix seconds; null if there is none. */
export function nextBeginning(recurrence: Recurrence, at: number): number | null {
  const ahead = windowsAround(recurrence, at, [0, 8], (_date, from) => from);
  return ahead.find(({ from }) => from > at)?.from ?? null;
}
