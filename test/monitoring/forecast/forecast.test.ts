import { describe, expect, test } from "bun:test";
import { type Full, forecast } from "../../../src/monitoring/forecast/forecast.ts";
import { hourly, type Law, linear, sawtooth, truth, withDeletion, withGaps, withRhythm } from "./laws.ts";

/** Disks of each law, with different noise. */
const DISKS = 20;
/** Largest error a week ahead. */
const TOLERANCE = 0.15;
/** Share of the disks of a law that may miss the tolerance: noise alone moves some that far. */
const MISSES = 0.05;

function forecasts(law: Law, noise: number) {
  return Array.from({ length: DISKS }, (_, seed) => forecast(hourly(law, noise, seed)));
}

const isFull = (of: ReturnType<typeof forecast>): of is Full => typeof of !== "string";

function expectClose(law: Law, noise: number): void {
  const days = truth(law);
  const results = forecasts(law, noise);
  const missed = results.filter((of) => !isFull(of) || Math.abs(of.days / days - 1) > TOLERANCE);
  expect({ days, missed: missed.slice(Math.floor(MISSES * DISKS)) }).toEqual({ days, missed: [] });
}

describe("a week ahead, the forecast is within 15% for disks that", () => {
  test.each([0.05, 0.2, 0.5, 1, 1.5])("grow by %d points a day", (perDay) => {
    expectClose(linear(perDay), 0);
    expectClose(linear(perDay), perDay / 2);
  });

  test.each([
    [0.3, 3],
    [0.5, 5],
    [1, 10],
  ])("grow by %d points a day with a rhythm of %d points", (perDay, height) => {
    expectClose(withRhythm(linear(perDay), height), 0.3);
  });

  test.each([
    [-40, 20],
    [-10, 15],
    [-3, 9],
    [-1, 7],
  ])("had files deleted %d days from now, %d points", (at, drop) => {
    expectClose(withDeletion(linear(1), at, drop), 0.5);
  });

  test("got a large file some days ago", () => {
    expectClose(withDeletion(linear(0.5), -3, -15), 0.3);
  });

  test("are lower at weekends", () => {
    expectClose((day) => linear(1)(day) - (((day % 7) + 7) % 7 >= 5 ? 2 : 0), 0.3);
  });

  test("have gaps: ten days, every night, or a third of all hours", () => {
    expectClose(
      withGaps(linear(1), (day) => day > -20 && day < -10),
      0.5,
    );
    expectClose(
      withGaps(linear(1), (day) => (day - Math.floor(day)) * 24 < 8),
      0.5,
    );
    expectClose(
      withGaps(linear(1), (day) => (Math.round(day * 24) * 7919) % 3 === 0),
      0.5,
    );
  });

  test("were flat for weeks and began to grow six days ago", () => {
    expectClose((day) => (day < -6 ? 100 - 13 * 4 : 100 + 4 * (day - 7)), 0.3);
  });
});

test("four of five times the value is reached within the interval", () => {
  const results = [0.2, 0.5, 1].flatMap((perDay) => forecasts(linear(perDay), 1));
  const inside = results.filter((of) => isFull(of) && of.from <= 7 && (of.to ?? Infinity) >= 7);
  expect(inside.length / results.length).toBeGreaterThan(0.75);
});

describe("there is no number for", () => {
  const expectNone = (law: Law, noise: number) =>
    expect(new Set(forecasts(law, noise))).toEqual(new Set(["steady"]));

  test.each([0.5, 1, 2, 3, 5, 7, 10, 14, 21])("a sawtooth of %d days, at any time", (days) => {
    for (const phase of [0, 0.3, 0.5, 0.8, 0.99]) expectNone(sawtooth(days, 40, 95, phase), 0.2);
  });

  test.each([80, 98, 99.5, 100])("a flat disk at %d percent, with or without noise", (level) => {
    for (const noise of [0, 0.05, 0.3, 1]) expectNone(() => level, noise);
  });

  test("a flat disk that is nearly full every evening", () => {
    expectNone((day) => 95 + 4 * Math.sin(2 * Math.PI * day), 0.5);
  });

  test("a disk that is emptied slowly", () => expectNone((day) => 60 - day / 2, 0.5));

  test("a disk that grew until a week ago", () => expectNone((day) => 90 + Math.min(0, day + 6), 0.3));

  test("growth that ends further ahead than twice the time for which values are known", () => {
    expectNone((day) => 40 + day / 10, 0.1);
    expectNone((day) => (day < -10 ? Number.NaN : 60 + day), 0);
  });
});

test("a sawtooth that outgrows its earlier peaks has a number", () => {
  const law = (day: number) => (day < -10 ? sawtooth(10, 40, 60, 0)(day) : 86 + 4 * day);
  expect(forecast(hourly(law, 0.2))).toMatchObject({ days: expect.closeTo(3.5, 0) });
});

test("six days of values, or none of the last day, are too little", () => {
  expect(forecast(hourly((day) => (day < -6 ? Number.NaN : 90 + day)))).toBe("tooshort");
  expect(forecast(hourly((day) => (day > -1 ? Number.NaN : 90 + day)))).toBe("tooshort");
  expect(forecast(hourly(() => Number.NaN))).toBe("tooshort");
  expect(forecast(hourly((day) => (day < -7 ? Number.NaN : 90 + day)))).toMatchObject({
    days: expect.closeTo(10, 0),
  });
});

test("a disk that has just become full has no days left", () => {
  expect(forecast(hourly((day) => 100 + day))).toMatchObject({ days: 0, from: 0 });
});
