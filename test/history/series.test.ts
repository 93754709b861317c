import { expect, test } from "bun:test";
import type { Aggregate, Period } from "../../src/history/rollup.ts";
import { alignSeries } from "../../src/history/series.ts";
import { START } from "../support/clock.ts";

const MINUTE = 60;

function periods(count: number): Period[] {
  return Array.from({ length: count }, (_, i): Period => {
    const aggregate: Aggregate = { min: i, sum: 2 * i, max: i + 1, count: 2 };
    return { at: START + i * MINUTE, aggregates: new Map([[7, aggregate]]) };
  });
}

test("the time to sum up grows with the number of periods, not with its square", () => {
  const count = 100_000;
  const window = { from: START, to: START + count * MINUTE };
  const startedAt = performance.now();
  const { times, series } = alignSeries(periods(count), [7], window, MINUTE, 2);
  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(times.length).toBeLessThanOrEqual(2);
  const counts = series.get(7)?.map((one) => one?.count ?? 0) ?? [];
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(2 * count);
  expect(series.get(7)?.at(-1)?.max).toBe(count);
});

test("as many periods as points stay as they are; with one more they are summed up by twos", () => {
  const window = { from: START, to: START + 60 * MINUTE };
  const as = (count: number, limit: number) =>
    alignSeries(periods(count), [7], window, MINUTE, limit).times.length;
  expect([as(60, 60), as(60, 59), as(60, 31)]).toEqual([60, 30, 30]);
});

test("a statistic that is never there is null at every point", () => {
  const window = { from: START, to: START + 3 * MINUTE };
  const { times, series } = alignSeries(periods(3), [7, 8], window, MINUTE, 10);
  expect(times).toHaveLength(3);
  expect(series.get(8)).toEqual([null, null, null]);
});
