import { describe, expect, test } from "bun:test";
import {
  type MaintenanceSchedule,
  nextWindow,
  windowAt,
  windowsWithin,
} from "../../../src/alerting/maintenance/schedule.ts";

const seconds = (time: string) => Date.parse(time) / 1000;

/** Sundays at 01:30 in Oslo, when the clocks change, for two hours. */
const SUNDAYS: MaintenanceSchedule = {
  kind: "weekly",
  days: [0],
  from: "01:30",
  minutes: 120,
  timezone: "Europe/Oslo",
};

function ledger(
  schedule: MaintenanceSchedule,
  cases: readonly [at: string, from: string | null, to?: string][],
): void {
  for (const [at, from, to = ""] of cases)
    test(`at ${at} it is ${from === null ? "over, or not yet" : `on, from ${from} to ${to}`}`, () => {
      const expected = from === null ? null : { from: seconds(from), to: seconds(to) };
      expect(windowAt(schedule, seconds(at))).toEqual(expected);
    });
}

describe("once", () => {
  const once: MaintenanceSchedule = { kind: "once", from: 1000, to: 2000 };

  test("it is on from its first second to its last", () => {
    expect([999, 1000, 1999, 2000].map((at) => windowAt(once, at))).toEqual([
      null,
      { from: 1000, to: 2000 },
      { from: 1000, to: 2000 },
      null,
    ]);
  });

  test("it is to come until it begins", () => {
    expect([999, 1000, 2000].map((at) => nextWindow(once, at))).toEqual([1000, null, null]);
  });
});

describe("weekly", () =>
  ledger(SUNDAYS, [
    ["2026-01-18T01:29:59+01:00", null],
    ["2026-01-18T01:30:00+01:00", "2026-01-18T01:30:00+01:00", "2026-01-18T03:30:00+01:00"],
    ["2026-01-18T03:29:59+01:00", "2026-01-18T01:30:00+01:00", "2026-01-18T03:30:00+01:00"],
    ["2026-01-18T03:30:00+01:00", null],
    ["2026-01-19T02:00:00+01:00", null],
  ]));

describe("over a change of the clocks it is as long as ever", () =>
  ledger(SUNDAYS, [
    ["2026-03-29T03:00:00+02:00", "2026-03-29T01:30:00+01:00", "2026-03-29T04:30:00+02:00"],
    ["2026-03-29T04:30:00+02:00", null],
    ["2026-10-25T02:59:59+02:00", "2026-10-25T01:30:00+02:00", "2026-10-25T02:30:00+01:00"],
    ["2026-10-25T02:30:00+01:00", null],
  ]));

describe("over midnight it belongs to the day on which it began", () =>
  ledger({ ...SUNDAYS, days: [6], from: "23:00", minutes: 180 } as MaintenanceSchedule, [
    ["2026-01-17T22:59:59+01:00", null],
    ["2026-01-18T01:00:00+01:00", "2026-01-17T23:00:00+01:00", "2026-01-18T02:00:00+01:00"],
    ["2026-01-18T23:30:00+01:00", null],
    // The clocks go forward within.
    ["2026-03-29T01:59:59+01:00", "2026-03-28T23:00:00+01:00", "2026-03-29T03:00:00+02:00"],
    ["2026-03-29T03:00:00+02:00", null],
    // They go back within.
    ["2026-10-25T01:59:59+02:00", "2026-10-24T23:00:00+02:00", "2026-10-25T02:00:00+02:00"],
    ["2026-10-25T02:00:00+02:00", null],
  ]));

describe("a window of a whole week that recurs has no end", () => {
  const always: MaintenanceSchedule = { ...SUNDAYS, minutes: 10_080 } as MaintenanceSchedule;
  ledger(always, [
    ["2026-01-18T01:29:59+01:00", "2026-01-11T01:30:00+01:00", "2026-01-18T01:30:00+01:00"],
    ["2026-01-18T01:30:00+01:00", "2026-01-18T01:30:00+01:00", "2026-01-25T01:30:00+01:00"],
  ]);
});

describe("windows that overlap are one, as far as they are known", () =>
  ledger({ ...SUNDAYS, days: [0, 1], minutes: 2160 } as MaintenanceSchedule, [
    ["2026-01-19T02:00:00+01:00", "2026-01-18T01:30:00+01:00", "2026-01-20T13:30:00+01:00"],
  ]));

test("the next one begins at the time of day, before and after the clocks change", () => {
  const next = (at: string) => nextWindow(SUNDAYS, seconds(at));
  expect(next("2026-03-22T01:30:00+01:00")).toBe(seconds("2026-03-29T01:30:00+01:00"));
  expect(next("2026-03-29T01:30:00+01:00")).toBe(seconds("2026-04-05T01:30:00+02:00"));
  expect(next("2026-04-05T01:29:59+02:00")).toBe(seconds("2026-04-05T01:30:00+02:00"));
});

describe("the windows of a span", () => {
  test("of a weekly schedule are at its local time, in summer and winter", () => {
    const sundays: MaintenanceSchedule = {
      kind: "weekly",
      days: [0],
      from: "03:00",
      minutes: 90,
      timezone: "Europe/Oslo",
    };
    const span = { from: seconds("2026-10-17T00:00Z"), to: seconds("2026-11-02T00:00Z") };
    const windows = ["2026-10-18T01:00Z", "2026-10-25T02:00Z", "2026-11-01T02:00Z"].map((from) => ({
      from: seconds(from),
      to: seconds(from) + 5400,
    }));
    expect(windowsWithin(sundays, span, 10)).toEqual(windows);
    expect(windowsWithin(sundays, span, 2)).toEqual(windows.slice(0, 2));
  });

  test("of a single one is it, if it overlaps the span", () => {
    const once: MaintenanceSchedule = { kind: "once", from: 1000, to: 2000 };
    expect(windowsWithin(once, { from: 1500, to: 3000 }, 10)).toEqual([{ from: 1000, to: 2000 }]);
    expect(windowsWithin(once, { from: 2000, to: 3000 }, 10)).toEqual([]);
    expect(windowsWithin(once, { from: 0, to: 1000 }, 10)).toEqual([]);
  });
});
