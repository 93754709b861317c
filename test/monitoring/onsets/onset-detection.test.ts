import { expect, test } from "bun:test";
import { codeChanges, unusualChanges } from "../../../src/monitoring/onsets/code-changes.ts";
import { onsetOf, type TestedSeries, thresholdOf } from "../../../src/monitoring/onsets/onset-detection.ts";
import {
  gridOf,
  type OnsetWindow,
  onsetWindow,
  readSpan,
} from "../../../src/monitoring/onsets/onset-window.ts";
import type { Periods } from "../../../src/monitoring/onsets/rhythm.ts";
import { START } from "../../support/clock.ts";
import { Random } from "../../support/random.ts";

const MINUTE = 60;
const DAYS = 10;
const WINDOW = onsetWindow(START, START + 3600);
const THRESHOLD = thresholdOf(100);

/** The value of a number at some seconds before (negative) or after the failure. */
type Shape = (second: number, random: Random) => number;

interface Made {
  poll?: number;
  isPercent?: boolean;
  days?: number;
  /** What it does on other days; by default what it does today, without what is new. */
  usual?: Shape;
  window?: OnsetWindow;
}

/** A series of which today's values have a shape. */
function made(
  today: Shape,
  { poll = 30, isPercent = true, days = DAYS, usual = today, window = WINDOW }: Made = {},
) {
  const random = new Random(7);
  const { from, to } = readSpan(window);
  const times = Float64Array.from({ length: Math.floor((to - from) / poll) }, (_, i) => from + i * poll + 7);
  const { start, count } = gridOf(window);
  const period = (at: number): [number, number, number] => {
    const values = Array.from({ length: Math.max(1, 300 / poll) }, (_, i) =>
      usual(at + i * poll - START, random),
    );
    return [
      Math.min(...values),
      values.reduce((sum, value) => sum + value, 0) / values.length,
      Math.max(...values),
    ];
  };
  const series: TestedSeries = {
    times,
    values: times.map((time) => today(time - START, random)),
    days: Array.from({ length: days }, (): Periods => {
      const periods = Array.from({ length: count }, (_, i) => period(start + i * 300));
      const part = (index: 0 | 1 | 2) => Float64Array.from(periods, (values) => values[index]);
      return { min: part(0), mean: part(1), max: part(2) };
    }),
    poll,
    isPercent,
  };
  return onsetOf(series, window, THRESHOLD);
}

const noise = (random: Random, size: number) => (random.fraction() + random.fraction() - 1) * size;
const steady: Shape = (_, random) => 40 + noise(random, 2);
const stepAt =
  (second: number, size: number): Shape =>
  (at, random) =>
    steady(at, random) + (at >= second ? size : 0);

test("a step is dated between the two reports around it", () => {
  const onset = made(stepAt(-1000, 20), { usual: steady });
  expect(onset?.of).toBe("level");
  expect(onset?.date).toBeGreaterThanOrEqual(START - 1000);
  expect(onset?.date).toBeLessThan(START - 1000 + 30);
  expect(onset?.earliest).toBeLessThan(START - 1000);
  expect(onset?.latest).toBeGreaterThanOrEqual(START - 1000);
  expect((onset?.latest ?? 0) - (onset?.earliest ?? 0)).toBeLessThanOrEqual(60);
  expect(onset?.from).toBeCloseTo(40, -0.5);
  expect(onset?.to).toBeCloseTo(60, -0.5);
});

test("what reports every five minutes is dated no finer than that", () => {
  const onset = made(stepAt(-1000, 20), { usual: steady, poll: 300 });
  expect((onset?.latest ?? 0) - (onset?.earliest ?? 0)).toBeGreaterThanOrEqual(300);
  expect(onset?.earliest).toBeLessThan(START - 1000);
  expect(onset?.latest).toBeGreaterThanOrEqual(START - 1000);
});

test("a slow rise has a wide uncertainty that contains its beginning", () => {
  const begins = -40 * MINUTE;
  const onset = made((at, random) => steady(at, random) + Math.max(0, at - begins) / 120, { usual: steady });
  expect(onset?.earliest).toBeLessThanOrEqual(START + begins);
  expect(onset?.latest).toBeGreaterThanOrEqual(START + begins);
  expect((onset?.latest ?? 0) - (onset?.earliest ?? 0)).toBeGreaterThan(MINUTE);
});

test("a rise that every day has at this time is its rhythm, and one of half an hour earlier is not", () => {
  const job =
    (begins: number): Shape =>
    (at, random) =>
      steady(at, random) + (at >= begins && at < begins + 900 ? 30 : 0);
  expect(made(job(-1200))).toBeNull();
  expect(made(job(-3000), { usual: job(-1200) })?.date).toBeGreaterThanOrEqual(START - 3000);
});

test("a single spike is no change", () => {
  const spike: Shape = (at, random) => (Math.abs(at + 1000) < 15 ? 95 : steady(at, random));
  expect(made(spike, { usual: steady })).toBeNull();
});

test("a number that wanders as far on other days has not moved", () => {
  const wave =
    (size: number): Shape =>
    (at, random) =>
      steady(at, random) + size * Math.sin(at / 700 + random.fraction() * 6);
  expect(made(stepAt(-1000, 12), { usual: wave(15) })).toBeNull();
  expect(made(stepAt(-1000, 12), { usual: steady })).not.toBeNull();
});

test("a rate that falls to a tenth has moved, whatever spikes it has", () => {
  const rate =
    (share: number): Shape =>
    (at, random) =>
      (at >= -1000 ? share : 1) * 5000 * (1 + noise(random, 0.4)) * (random.chance(0.005) ? 5 : 1);
  const onset = made(rate(0.1), { usual: rate(1), isPercent: false });
  expect(onset?.date).toBeGreaterThanOrEqual(START - 1000);
  expect(onset?.date).toBeLessThan(START - 1000 + 90);
  expect(made(rate(1), { isPercent: false })).toBeNull();
});

test("a number that was always 0 has moved once two reports say otherwise", () => {
  const errors: Shape = (at) => (at >= -90 ? 12 : 0);
  expect(made(errors, { usual: () => 0, isPercent: false })).toMatchObject({ from: 0, to: 12 });
});

test("a number that begins to vary more keeps its level and changes its spread", () => {
  const restless: Shape = (at, random) => 40 + noise(random, at >= -1500 ? 40 : 2);
  const onset = made(restless, { usual: steady });
  expect(onset?.of).toBe("spread");
  expect(Math.abs((onset?.date ?? 0) - (START - 1500))).toBeLessThan(150);
  expect(onset?.to).toBeGreaterThan(3 * (onset?.from ?? 0));
});

test("a change after the failure is not listed, and one before it is confirmed by what follows", () => {
  expect(made(stepAt(70, 20), { usual: steady })).toBeNull();
  expect(made(stepAt(-40, 20), { usual: steady })?.date).toBeLessThanOrEqual(START);
});

test("without other days, the hour before is all there is to compare with", () => {
  expect(made(stepAt(-1000, 60), { days: 0 })?.of).toBe("level");
  expect(made(steady, { days: 0 })).toBeNull();
});

test("too few reports in the hour before decide nothing", () => {
  const window = WINDOW;
  const times = Float64Array.from([1, 2, 3, 60, 61, 62], (minute) => window.from - 3600 + minute * MINUTE);
  const values = Float64Array.from([1, 1, 1, 90, 90, 90]);
  expect(onsetOf({ times, values, days: [], poll: 60, isPercent: true }, window, THRESHOLD)).toBeNull();
});

test("the more numbers are tested together, the further one has to go", () => {
  expect(thresholdOf(3000)).toBeGreaterThan(thresholdOf(100));
});

test("a code changed between the report before and the first one that has another, missing reports left out", () => {
  const times = Float64Array.from([0, 30, 60, 90, 120]);
  const values = Float64Array.from([4711, 4711, Number.NaN, 4800, 4800]);
  expect(codeChanges(times, values)).toEqual([{ earliest: 30, date: 90, from: 4711, to: 4800 }]);
});

test("what changes as a habit is not listed, and what begins to change again and again is, with its first three", () => {
  const at = (...dates: number[]) => dates.map((date) => ({ date }));
  expect(unusualChanges(at(10, 20, 30, 110), 100)).toEqual([]);
  expect(unusualChanges(at(10, 20, 110, 120, 130, 140), 100)).toEqual(at(110, 120, 130));
});
