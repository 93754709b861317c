import { expect, test } from "bun:test";
import type { Aggregate, Period } from "../../../src/monitoring/history/rollup.ts";
import { alignSeries } from "../../../src/monitoring/history/series.ts";
import { START } from "../../support/clock.ts";

const MINUTE = 60;

function periods(count: number): Period[] {
  return Array.from({ length: count }, (_, i): Period => {
    const aggregate: Aggregate = { min: i, sum: 2 * i, max: i + 1, count: 2 };
    return { at: START + i * MINUTE, aggregates: new Map([[7, aggregate]]) };
  });
}

/** Sums `count` periods up to two points. @returns how often a period was looked at, and the points */
function summedUp(count: number) {
  let reads = 0;
  const counted = periods(count).map(({ at, aggregates }) => ({
    get at() {
      reads++;
      return at;
    },
    get aggregates() {
      reads++;
      return aggregates;
    },
  }));
  const window = { from: START, to: START + count * MINUTE };
  const points = alignSeries(counted, [7], window, MINUTE, 2);
  return { reads, points };
}

test("how often the periods are looked at grows with their number, not with its square", () => {
  const count = 100_000;
  const { reads, points } = summedUp(count);
  expect(reads / count).toBeCloseTo(summedUp(count / 100).reads / (count / 100), 1);
  expect(points.times.length).toBeLessThanOrEqual(2);
  const counts = points.series.get(7)?.map((one) => one?.count ?? 0) ?? [];
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(2 * count);
  expect(points.series.get(7)?.at(-1)?.max).toBe(count);
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
