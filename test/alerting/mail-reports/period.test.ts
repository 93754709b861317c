import { describe, expect, test } from "bun:test";
import {
  daysText,
  newestDue,
  newestOver,
  nextDue,
  type ReportSchedule,
} from "../../../src/alerting/mail-reports/period.ts";

const BERLIN = "Europe/Berlin";

const seconds = (zoned: string) => Temporal.ZonedDateTime.from(zoned).epochMilliseconds / 1000;
const berlin = (local: string) => seconds(`${local}[${BERLIN}]`);
const shown = (at: number, timezone = BERLIN) =>
  Temporal.Instant.fromEpochMilliseconds(at * 1000)
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: "never" });

/** Sending times from `start` on, each with the days that the report covers and their hours. */
function ledgerOf(schedule: ReportSchedule, start: number, times: number, timezone = BERLIN): string[] {
  const lines: string[] = [];
  for (let at = start; lines.length < times; ) {
    at = nextDue(schedule, at, timezone);
    const covered = newestDue(schedule, at, timezone);
    expect(covered.dueAt).toBe(at);
    expect(newestDue(schedule, at - 1, timezone).day < covered.day).toBe(true);
    lines.push(
      `${shown(at, timezone)}: ${daysText(covered, timezone)}, ${(covered.to - covered.from) / 3600} h`,
    );
  }
  return lines;
}

describe("a report is sent", () => {
  test("each day at its hour, also when clocks change; the day before then has 25 or 23 hours", () => {
    expect(ledgerOf({ period: "daily", hour: 7 }, berlin("2026-10-24T07:00"), 3)).toEqual([
      "2026-10-25T07:00:00+01:00: 2026-10-24, 24 h",
      "2026-10-26T07:00:00+01:00: 2026-10-25, 25 h",
      "2026-10-27T07:00:00+01:00: 2026-10-26, 24 h",
    ]);
    expect(ledgerOf({ period: "daily", hour: 2 }, berlin("2026-03-28T02:00"), 3)).toEqual([
      "2026-03-29T03:00:00+02:00: 2026-03-28, 24 h",
      "2026-03-30T02:00:00+02:00: 2026-03-29, 23 h",
      "2026-03-31T02:00:00+02:00: 2026-03-30, 24 h",
    ]);
  });

  test("once at an hour that occurs twice, the first time", () => {
    expect(ledgerOf({ period: "daily", hour: 2 }, berlin("2026-10-24T02:00"), 2)).toEqual([
      "2026-10-25T02:00:00+02:00: 2026-10-24, 24 h",
      "2026-10-26T02:00:00+01:00: 2026-10-25, 25 h",
    ]);
  });

  test("on Mondays about the week before, which has 167 or 169 hours when clocks change", () => {
    expect(ledgerOf({ period: "weekly", hour: 0 }, berlin("2026-10-14T12:00"), 3)).toEqual([
      "2026-10-19T00:00:00+02:00: 2026-10-12 to 2026-10-18, 168 h",
      "2026-10-26T00:00:00+01:00: 2026-10-19 to 2026-10-25, 169 h",
      "2026-11-02T00:00:00+01:00: 2026-10-26 to 2026-11-01, 168 h",
    ]);
  });

  test("on the first of each month about the month before, however long", () => {
    expect(ledgerOf({ period: "monthly", hour: 23 }, berlin("2027-12-31T12:00"), 4)).toEqual([
      "2028-01-01T23:00:00+01:00: 2027-12-01 to 2027-12-31, 744 h",
      "2028-02-01T23:00:00+01:00: 2028-01-01 to 2028-01-31, 744 h",
      "2028-03-01T23:00:00+01:00: 2028-02-01 to 2028-02-29, 696 h",
      "2028-04-01T23:00:00+02:00: 2028-03-01 to 2028-03-31, 743 h",
    ]);
  });

  test("where midnight is skipped, about a day that begins at the change", () => {
    const from = seconds("2026-09-05T12:00[America/Santiago]");
    expect(ledgerOf({ period: "daily", hour: 0 }, from, 3, "America/Santiago")).toEqual([
      "2026-09-06T01:00:00-03:00: 2026-09-05, 24 h",
      "2026-09-07T00:00:00-03:00: 2026-09-06, 23 h",
      "2026-09-08T00:00:00-03:00: 2026-09-07, 24 h",
    ]);
  });
});

test("before its hour the newest period to send is the previous one; a complete one can be read at once", () => {
  const at = berlin("2026-11-02T06:59:59");
  const schedule = { period: "weekly", hour: 7 } as const;
  expect(daysText(newestDue(schedule, at, BERLIN), BERLIN)).toBe("2026-10-19 to 2026-10-25");
  expect(daysText(newestOver(schedule, at, BERLIN), BERLIN)).toBe("2026-10-26 to 2026-11-01");
});
