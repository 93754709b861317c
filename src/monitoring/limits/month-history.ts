/** Sums of the month from the past: for limits that begin within a month, and after a restart. */
import type { Db } from "../../platform/storage/open.ts";
import { FIVE_MINUTES, HOURLY, startOf } from "../history/resolutions.ts";
import type { MonthCounters } from "./host-limits.ts";
import { isCounted, withCounters } from "./month-sum.ts";
import { type Hour, PastValues } from "./past-values.ts";

/**
 * Messages of this many seconds are read one by one. A month of a host then takes about 7 ms, mostly for earlier hours.
 */
const EXACT = 6 * HOURLY.seconds;

/** Since when a sum has to be read. @param now unix seconds */
function missingSince({ sum, months }: MonthCounters, now: number): number {
  if (isCounted(sum)) return sum.at + 1;
  // The hour before says where the counters stood when the month began.
  return startOf(months.holding(now).from, HOURLY.seconds) - HOURLY.seconds;
}

/**
 * Adds what a host reported since its sums were stored, or since the start of the month to sums that count nothing yet.
 * Of the last hours, every message counts. Of earlier hours only the extremes count, since the greatest value of a
 * counter is its last one; an hour within which a month begins is read in periods of five minutes. If a counter began
 * at 0 again within an earlier hour, at most its growth from then until the end of that hour is lost.
 * @param now when the last message was received, unix seconds
 */
export function catchUp(db: Db, hostId: number, parts: readonly MonthCounters[], now: number): void {
  if (parts.length === 0) return;
  const ids = [...new Set(parts.flatMap(({ statisticIds }) => statisticIds))];
  const columns = new Map(ids.map((id, column) => [id, column]));
  const add = (part: MonthCounters, values: Float64Array, at: number) => {
    // An earlier value would look like a counter that began at 0 again.
    if (at <= part.sum.at) return;
    const counterOf = (counter: number) =>
      values[columns.get(part.statisticIds[counter] ?? 0) ?? -1] ?? Number.NaN;
    part.sum = withCounters(part.sum, counterOf, at, part.months);
  };
  const from = Math.min(...parts.map((part) => missingSince(part, now)));
  const messagesFrom = Math.max(from, startOf(now - EXACT, HOURLY.seconds));
  const past = new PastValues(db, hostId, ids);
  const detail = (hour: Hour) =>
    parts.some(({ months }) => months.beginsWithin(hour.at, now)) ? "values" : "extremes";
  for (const { at, low, high } of past.periods({ from, to: messagesFrom }, detail))
    for (const part of parts) {
      if (!isCounted(part.sum)) add(part, low, at);
      add(part, high, at + FIVE_MINUTES.seconds);
    }
  for (const { at, low } of past.messages({ from: messagesFrom, to: now + 1 }, () => "values"))
    for (const part of parts) add(part, low, at);
}
