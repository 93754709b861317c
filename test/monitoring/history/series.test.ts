import { expect, test } from "bun:test";
import { type Aggregate, type AggregatedPeriod, single } from "../../../src/monitoring/history/rollup.ts";
import { alignSeries } from "../../../src/monitoring/history/series.ts";
import { START } from "../../support/clock.ts";

const MINUTE = 60;

function periods(count: number): AggregatedPeriod[] {
  return Array.from({ length: count }, (_, i): AggregatedPeriod => {
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
  const points = alignSeries(counted, [7], { window, spacing: MINUTE, limit: 2 });
  return { reads, points };
}

test("how often the periods are looked at grows with their number, not with its square", () => {
  const count = 100_000;
  const { reads, points } = summedUp(count);
  expect(reads / count).toBeCloseTo(summedUp(count / 100).reads / (count / 100), 1);
  expect(points.times.length).toBeLessThanOrEqual(2);
  const counts = points.series.get(7)?.map((aggregate) => aggregate?.count ?? 0) ?? [];
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(2 * count);
  expect(points.series.get(7)?.at(-1)?.max).toBe(count);
});

test("as many periods as points stay as they are; with one more they are summed up by twos", () => {
  const window = { from: START, to: START + 60 * MINUTE };
  const as = (count: number, limit: number) =>
    alignSeries(periods(count), [7], { window, spacing: MINUTE, limit }).times.length;
  expect([as(60, 60), as(60, 59), as(60, 31)]).toEqual([60, 30, 30]);
});

test("a statistic that is never there is null at every point", () => {
  const window = { from: START, to: START + 3 * MINUTE };
  const { times, series } = alignSeries(periods(3), [7, 8], { window, spacing: MINUTE, limit: 10 });
  expect(times).toHaveLength(3);
  expect(series.get(8)).toEqual([null, null, null]);
});

/** Reports at these distances one after the other, seconds. */
function atDistances(distances: readonly number[]): AggregatedPeriod[] {
  let at = START;
  const times = [at, ...distances.map((distance) => (at += distance))];
  return times.map((time) => ({ at: time, aggregates: new Map([[7, single(1)]]) }));
}

const repeated = (distance: number, count: number) => Array.from({ length: count }, () => distance);

/** Where the series has nothing, seconds after the first report. @param limit the most points */
function gapsOf(distances: readonly number[], limit = 1000): number[] {
  const reports = atDistances(distances);
  const window = { from: START, to: (reports.at(-1)?.at ?? START) + 1 };
  const { times, series } = alignSeries(reports, [7], { window, spacing: MINUTE, limit });
  return times.flatMap((at, i) => (series.get(7)?.[i] === null ? at - START : []));
}

test("an agent that reported less often in the past has no gaps there", () => {
  expect(gapsOf([...repeated(30 * MINUTE, 8), ...repeated(MINUTE, 8)])).toEqual([]);
  expect(gapsOf([...repeated(MINUTE, 8), ...repeated(30 * MINUTE, 8)])).toEqual([]);
});

test("a gap is judged by how often the agent reported then", () => {
  // Shorter than two reports of now, and yet a gap.
  const often = [...repeated(10, 6), 50, ...repeated(10, 6)];
  expect(gapsOf([...often, ...repeated(MINUTE, 6)])).toEqual([70]);
  const rarely = [...repeated(30 * MINUTE, 6), 120 * MINUTE, ...repeated(30 * MINUTE, 6)];
  expect(gapsOf([...rarely, ...repeated(MINUTE, 6)])).toEqual([7 * 30 * MINUTE]);
  expect(gapsOf([...repeated(MINUTE, 6), 60 * MINUTE, ...repeated(30 * MINUTE, 6)])).toEqual([]);
});

test("a report between two silences stands between two gaps", () => {
  expect(gapsOf([...repeated(MINUTE, 5), 3600, 3600, ...repeated(MINUTE, 5)])).toEqual([360, 3960]);
});

test("too few reports to tell how often they came are judged by how often they come now", () => {
  expect(gapsOf([2 * MINUTE])).toEqual([]);
  expect(gapsOf([3 * MINUTE])).toEqual([MINUTE]);
});

test("summed up, only silence makes empty steps", () => {
  // Thirty minutes apart, then each minute: a step is four minutes.
  const distances = [...repeated(30 * MINUTE, 10), ...repeated(MINUTE, 300)];
  expect(gapsOf(distances, 151)).toEqual([]);
  const silent = [
    ...repeated(30 * MINUTE, 10),
    ...repeated(MINUTE, 150),
    60 * MINUTE,
    ...repeated(MINUTE, 150),
  ];
  expect(gapsOf(silent, 181).every((at) => at > 450 * MINUTE && at < 510 * MINUTE)).toBe(true);
  expect(gapsOf(silent, 181).length).toBeGreaterThan(10);
});
