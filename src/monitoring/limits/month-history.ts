/** The sum of a month from the past: for a limit that begins within a month, and after a restart. */
import type { Db } from "../../platform/storage/open.ts";
import { FIVE_MINUTES, HOURLY, startOf } from "../history/resolutions.ts";
import { isCounted, type MonthSum, type Months, withCounters } from "./month-sum.ts";
import { PastValues } from "./past-values.ts";

const DAY = 86_400;

/**
 * Adds what was reported since a sum; without one, since the start of the month. Of the last day each message counts,
 * and before that the extremes of each hour, the greatest of which is that of its end. A restart of a counter within such an
 * hour loses what it grew in that hour after it, at most.
 * @param now when the last message was received, unix seconds
 */
export function sumUntil(
  db: Db,
  hostId: number,
  statisticIds: readonly number[],
  before: MonthSum,
  now: number,
  months: Months,
): MonthSum {
  // The hour before says where the counters stood when the month began.
  const from = isCounted(before)
    ? before.at + 1
    : startOf(months.holding(now).from, HOURLY.seconds) - HOURLY.seconds;
  const messagesFrom = Math.max(from, startOf(now - DAY, HOURLY.seconds));
  const past = new PastValues(db, hostId, statisticIds);
  let sum = before;
  const add = (values: Float64Array, at: number) => {
    sum = withCounters(sum, (counter) => values[counter] ?? Number.NaN, at, months);
  };
  for (const { at, low, high } of past.periods({ from, to: messagesFrom }, () => "extremes")) {
    if (!isCounted(sum)) add(low, at);
    add(high, at + FIVE_MINUTES.seconds);
  }
  for (const { at, low } of past.messages({ from: messagesFrom, to: now + 1 }, () => "values")) add(low, at);
  return sum;
}
