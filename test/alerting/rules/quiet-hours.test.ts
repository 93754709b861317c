import { describe, expect, test } from "bun:test";
import { type QuietHours, quietUntil } from "../../../src/alerting/rules/quiet-hours.ts";

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const NIGHT: QuietHours = { days: EVERY_DAY, from: "22:00", to: "06:30", timezone: "Europe/Oslo" };

const seconds = (time: string) => Date.parse(time) / 1000;

function until(hours: QuietHours, time: string): string | null {
  const end = quietUntil(hours, seconds(time));
  return end === null ? null : new Date(end * 1000).toISOString().replace(".000Z", "Z");
}

function ledger(hours: QuietHours, cases: readonly [at: string, end: string | null][]): void {
  for (const [at, end] of cases)
    test(`at ${at} it is ${end === null ? "not quiet" : `quiet until ${end}`}`, () => {
      expect(until(hours, at)).toBe(
        end === null ? null : new Date(seconds(end) * 1000).toISOString().replace(".000Z", "Z"),
      );
    });
}

describe("every night from 22:00 to 06:30 in winter", () =>
  ledger(NIGHT, [
    ["2026-01-14T21:59:59+01:00", null],
    ["2026-01-14T22:00:00+01:00", "2026-01-15T06:30:00+01:00"],
    ["2026-01-15T00:00:00+01:00", "2026-01-15T06:30:00+01:00"],
    ["2026-01-15T06:29:59+01:00", "2026-01-15T06:30:00+01:00"],
    ["2026-01-15T06:30:00+01:00", null],
    ["2026-01-15T12:00:00+01:00", null],
  ]));

describe("in the night in which the clocks go forward, it is an hour shorter", () =>
  ledger(NIGHT, [
    ["2026-03-28T21:59:59+01:00", null],
    ["2026-03-28T22:00:00+01:00", "2026-03-29T06:30:00+02:00"],
    ["2026-03-29T03:00:00+02:00", "2026-03-29T06:30:00+02:00"],
    ["2026-03-29T06:29:59+02:00", "2026-03-29T06:30:00+02:00"],
    ["2026-03-29T06:30:00+02:00", null],
    ["2026-03-29T22:00:00+02:00", "2026-03-30T06:30:00+02:00"],
  ]));

describe("in the night in which they go back, an hour longer", () =>
  ledger(NIGHT, [
    ["2026-10-24T22:00:00+02:00", "2026-10-25T06:30:00+01:00"],
    ["2026-10-25T02:59:59+02:00", "2026-10-25T06:30:00+01:00"],
    ["2026-10-25T02:00:00+01:00", "2026-10-25T06:30:00+01:00"],
    ["2026-10-25T06:29:59+01:00", "2026-10-25T06:30:00+01:00"],
    ["2026-10-25T06:30:00+01:00", null],
    ["2026-10-25T21:30:00+01:00", null],
  ]));

describe("a time that clocks skip means the moment of the change:", () => {
  ledger({ ...NIGHT, from: "02:15", to: "03:15" }, [
    ["2026-03-29T01:59:59+01:00", null],
    ["2026-03-29T03:00:00+02:00", "2026-03-29T03:15:00+02:00"],
    ["2026-03-29T03:15:00+02:00", null],
  ]);
  ledger({ ...NIGHT, from: "01:00", to: "02:00" }, [
    ["2026-03-29T01:59:59+01:00", "2026-03-29T03:00:00+02:00"],
    ["2026-03-29T03:00:00+02:00", null],
  ]);
  ledger({ ...NIGHT, from: "02:15", to: "02:45" }, [["2026-03-29T03:00:00+02:00", null]]);
});

describe("a time that occurs twice means the first occurrence:", () =>
  ledger({ ...NIGHT, from: "02:15", to: "02:45" }, [
    ["2026-10-25T02:15:00+02:00", "2026-10-25T02:45:00+02:00"],
    ["2026-10-25T02:45:00+02:00", null],
    ["2026-10-25T02:15:00+01:00", null],
  ]));

describe("days are those of the evening, by the clock of the time zone:", () => {
  // 2026-01-16 is a Friday.
  ledger({ ...NIGHT, days: [5] }, [
    ["2026-01-15T23:00:00+01:00", null],
    ["2026-01-16T23:00:00+01:00", "2026-01-17T06:30:00+01:00"],
    ["2026-01-17T05:00:00+01:00", "2026-01-17T06:30:00+01:00"],
    ["2026-01-17T23:00:00+01:00", null],
  ]);
  // Saturday has begun in Auckland while it is Friday everywhere else.
  ledger({ ...NIGHT, days: [6], timezone: "Pacific/Auckland" }, [
    ["2026-01-16T10:00:00Z", null],
    ["2026-01-17T10:00:00Z", "2026-01-17T17:30:00Z"],
  ]);
});

describe("hours of one day", () =>
  ledger({ ...NIGHT, days: [1, 2, 3, 4, 5], from: "08:00", to: "16:00" }, [
    ["2026-01-16T07:59:59+01:00", null],
    ["2026-01-16T08:00:00+01:00", "2026-01-16T16:00:00+01:00"],
    ["2026-01-16T16:00:00+01:00", null],
    ["2026-01-17T12:00:00+01:00", null],
  ]));

describe("from a time to the same one it is a whole day, also one of 23 or 25 hours", () =>
  ledger({ ...NIGHT, days: [0], from: "00:00", to: "00:00" }, [
    ["2026-01-17T23:59:59+01:00", null],
    ["2026-01-18T00:00:00+01:00", "2026-01-19T00:00:00+01:00"],
    ["2026-03-29T12:00:00+02:00", "2026-03-30T00:00:00+02:00"],
    ["2026-10-25T12:00:00+01:00", "2026-10-26T00:00:00+01:00"],
    ["2026-10-26T00:00:00+01:00", null],
  ]));
