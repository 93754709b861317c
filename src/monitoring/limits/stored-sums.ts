/** Sums of the month, stored every few minutes, and what was reported since. */
import type { Db } from "../../platform/storage/open.ts";
import type { StoredCounter } from "../../platform/storage/schema.ts";
import { isOfLaterMonth, type MonthlyEntry } from "./host-limits.ts";
import { deleteSum, type LimitSumRow, saveSum, sumsOfHost } from "./limit-sums.repository.ts";
import { catchUp } from "./month-history.ts";
import { emptySum, isCounted, type MonthSum } from "./month-sum.ts";

/** Seconds after which the sum of a month is stored again. */
const STORED_SECONDS = 600;

/** Whether a row holds the sum of exactly these counters: the limit may have been about others. */
function isOfCounters({ counters }: LimitSumRow, statisticIds: readonly number[]): boolean {
  const stored = new Set(counters.map(([id]) => id));
  return stored.size === statisticIds.length && statisticIds.every((id) => stored.has(id));
}

/** The sum that a row holds, for these counters. */
function sumOf(
  { monthFrom, countedFrom, sum, at, counters }: LimitSumRow,
  statisticIds: readonly number[],
): MonthSum {
  const stored = new Map(counters.map(([id, value, time]) => [id, { value, time }]));
  return {
    from: monthFrom,
    countedFrom,
    sum,
    at,
    values: Float64Array.from(statisticIds, (id) => stored.get(id)?.value ?? Number.NaN),
    times: Float64Array.from(statisticIds, (id) => stored.get(id)?.time ?? 0),
  };
}

function keyOf({ limitId, nameId }: Pick<LimitSumRow, "limitId" | "nameId">): string {
  return `${limitId} ${nameId}`;
}

/**
 * Reads the sums of a host, and adds what it reported since they were stored. Deletes stored sums of other limits.
 * @param now when its last message was received, unix seconds
 */
export function readSums(db: Db, hostId: number, monthly: readonly MonthlyEntry[], now: number): void {
  const stored = new Map(sumsOfHost(db, hostId).map((row) => [keyOf(row), row]));
  for (const { limit, service, month } of monthly) {
    const key = keyOf({ limitId: limit.id, nameId: service.nameId });
    const row = stored.get(key);
    stored.delete(key);
    // A sum is counted anew if it was begun in another time zone or is of other counters.
    if (row === undefined || row.monthFrom !== month.months.holding(row.at).from) continue;
    if (!isOfCounters(row, month.statisticIds)) continue;
    month.sum = sumOf(row, month.statisticIds);
    month.storedAt = row.at;
  }
  catchUp(
    db,
    hostId,
    monthly.map(({ month }) => month),
    now,
  );
  for (const row of stored.values()) deleteSum(db, row);
}

/**
 * Counts sums of later months anew, from what was reported in the month of a message.
 * @param at when it was received, unix seconds
 */
export function recountLaterMonths(
  db: Db,
  hostId: number,
  monthly: readonly MonthlyEntry[],
  at: number,
): void {
  const later = monthly.map(({ month }) => month).filter((month) => isOfLaterMonth(month, at));
  for (const month of later) {
    month.sum = emptySum(month.statisticIds.length);
    month.storedAt = 0;
  }
  catchUp(db, hostId, later, at);
}

/**
 * Stores those sums of a host that were last stored `STORED_SECONDS` ago, or in another month.
 * @param now when its last message was received, unix seconds; before its sums if the clock was set back
 */
export function saveDueSums(db: Db, hostId: number, monthly: readonly MonthlyEntry[], now: number): void {
  for (const { limit, service, month } of monthly) {
    const { sum, storedAt, statisticIds } = month;
    const isRecent = Math.abs(now - storedAt) < STORED_SECONDS;
    if (!isCounted(sum) || (isRecent && storedAt >= sum.from)) continue;
    const counters = statisticIds.map((id, i): StoredCounter => {
      const [value, at] = [sum.values[i] ?? Number.NaN, sum.times[i] ?? 0];
      return Number.isNaN(value) ? [id, null, 0] : [id, value, at];
    });
    const { from: monthFrom, countedFrom, at } = sum;
    const key = { limitId: limit.id, hostId, nameId: service.nameId };
    saveSum(db, { ...key, monthFrom, countedFrom, sum: sum.sum, at, counters });
    month.storedAt = now;
  }
}
