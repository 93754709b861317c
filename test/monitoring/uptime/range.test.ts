import { describe, expect, test } from "bun:test";
import { type Range, reportWindow } from "../../../src/monitoring/uptime/range.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

function unix(date: string): number {
  return Date.parse(date) / 1000;
}

const OSLO = "Europe/Oslo";

/** In Oslo the clocks go from 02:00 to 03:00 on 29 March 2026 and from 03:00 to 02:00 on 25 October 2026. */
const CASES: readonly [why: string, zone: string, now: string, range: Range, from: string][] = [
  ["today", OSLO, "2026-01-05T12:00:00Z", 0, "2026-01-04T23:00:00Z"],
  ["today in summer", OSLO, "2026-07-05T12:00:00Z", 0, "2026-07-04T22:00:00Z"],
  ["today at midnight is empty", OSLO, "2026-01-04T23:00:00Z", 0, "2026-01-04T23:00:00Z"],
  ["a second before it is a whole day", OSLO, "2026-01-04T22:59:59Z", 0, "2026-01-03T23:00:00Z"],
  ["a day of 23 hours", OSLO, "2026-03-29T21:59:59Z", 0, "2026-03-28T23:00:00Z"],
  ["the day after it", OSLO, "2026-03-29T22:00:00Z", 0, "2026-03-29T22:00:00Z"],
  ["a day of 25 hours", OSLO, "2026-10-25T22:59:59Z", 0, "2026-10-24T22:00:00Z"],
  ["the day after it", OSLO, "2026-10-25T23:00:00Z", 0, "2026-10-25T23:00:00Z"],
  ["the second 02:30 of that day", OSLO, "2026-10-25T01:30:00Z", 0, "2026-10-24T22:00:00Z"],
  ["a day without a midnight", "Africa/Cairo", "2026-04-24T12:00:00Z", 0, "2026-04-23T22:00:00Z"],
  ["a zone of half hours", "Asia/Kolkata", "2026-01-05T12:00:00Z", 0, "2026-01-04T18:30:00Z"],
  ["today is another date there", "Pacific/Auckland", "2026-01-05T12:00:00Z", 0, "2026-01-05T11:00:00Z"],
  ["week", OSLO, "2026-01-15T12:34:56Z", 5, "2026-01-08T12:34:56Z"],
  ["a week of 167 hours", OSLO, "2026-03-31T10:00:00Z", 5, "2026-03-24T11:00:00Z"],
  ["a week of 169 hours", OSLO, "2026-10-28T11:00:00Z", 5, "2026-10-21T10:00:00Z"],
  ["month", OSLO, "2026-02-15T12:00:00Z", 6, "2026-01-15T12:00:00Z"],
  ["31 March minus a month", OSLO, "2026-03-31T10:00:00Z", 6, "2026-02-28T11:00:00Z"],
  ["30 March of a leap year", "UTC", "2028-03-30T10:00:00Z", 6, "2028-02-29T10:00:00Z"],
  ["a time that did not exist", OSLO, "2026-04-29T00:30:00Z", 6, "2026-03-29T01:30:00Z"],
  ["a time that was twice", OSLO, "2026-11-25T01:30:00Z", 6, "2026-10-25T00:30:00Z"],
  ["three months", OSLO, "2026-05-31T10:00:00Z", 7, "2026-02-28T11:00:00Z"],
  ["six months", OSLO, "2026-08-31T10:00:00Z", 8, "2026-02-28T11:00:00Z"],
  ["year", OSLO, "2026-07-05T12:00:00Z", 9, "2025-07-05T12:00:00Z"],
  ["a year from 29 February", "UTC", "2028-02-29T12:00:00Z", 9, "2027-02-28T12:00:00Z"],
];

/** Whole months, quarters and years. Without an end they last until now. */
const PERIODS: readonly [now: string, zone: string, range: Range, from: string, to?: string][] = [
  ["2026-11-23T02:00:00Z", OSLO, 100, "2026-10-31T23:00:00Z"],
  ["2026-11-23T02:00:00Z", OSLO, 101, "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"],
  ["2026-10-31T23:00:00Z", OSLO, 101, "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"],
  ["2026-01-31T12:00:00Z", "UTC", 101, "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"],
  ["2026-11-23T02:00:00Z", "UTC", 102, "2026-10-01T00:00:00Z"],
  ["2026-02-28T02:00:00Z", "UTC", 103, "2025-10-01T00:00:00Z", "2026-01-01T00:00:00Z"],
  ["2026-05-31T02:00:00Z", "UTC", 103, "2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z"],
  ["2026-11-23T02:00:00Z", "UTC", 104, "2026-01-01T00:00:00Z"],
  ["2028-02-29T02:00:00Z", "UTC", 105, "2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"],
];

test.each(PERIODS)("at %s in %s, range %i begins at %s", (now, zone, range, from, to = now) => {
  expect(reportWindow({ range }, unix(now), zone)).toEqual({ from: unix(from), to: unix(to) });
});

describe("ranges are those of the calendar", () => {
  for (const [why, zone, now, range, from] of CASES)
    test(`${why}: range ${range} at ${now} in ${zone}`, () =>
      expect(reportWindow({ range, datefrom: 1, dateto: 2 }, unix(now), zone)).toEqual({
        from: unix(from),
        to: unix(now),
      }));
});

/** Every report that takes a range, with the arguments it needs besides. */
const REPORTS: readonly [path: string, needs: Fields][] = [
  ["/api/1/reports/uptime/list", {}],
  ["/api/1/reports/uptime/get", { id: 1 }],
  ["/api/1/reports/uptime/bars", { id: 1 }],
  ["/api/1/reports/history/get", { hostid: 1 }],
];

async function appWithHost(): Promise<{ app: TestApp; client: TestClient }> {
  const app = new TestApp();
  await app.report({ services: [{ name: "web" }] });
  return { app, client: await app.user() };
}

const WRONG: readonly [why: string, fields: Fields, code: string][] = [
  ["a custom range without a start", { range: 12 }, "argument.missing"],
  ["a custom range with an end only", { range: 12, dateto: START }, "argument.missing"],
  ["a range of no time", { range: 12, datefrom: START, dateto: START }, "argument.invalid"],
  ["an end before the start", { range: 12, datefrom: START, dateto: START - 60 }, "argument.invalid"],
  ["a start in the future, up to now", { range: 12, datefrom: START + 60 }, "argument.invalid"],
  ["a range that the specification has not", { range: 4 }, "argument.invalid"],
];

describe("every report with a range", () => {
  for (const [path, needs] of REPORTS) {
    for (const [why, fields, code] of WRONG)
      test(`${path} refuses ${why}`, async () => {
        const { app, client } = await appWithHost();
        await expectRefusal(app, () => client.get(path, { ...needs, ...fields }), 400, code);
      });

    test(`${path} takes every range of the specification, and says what it covers`, async () => {
      const { app, client } = await appWithHost();
      const before = stored(app);
      for (const range of [0, 5, 6, 7, 8, 9] as const) {
        const { status, json } = await client.get(path, { ...needs, range, datefrom: 5, dateto: 6 });
        const window = reportWindow({ range }, START, app.settings.get("timezone"));
        expect([status, json.datefrom, json.dateto]).toEqual([200, window.from, window.to]);
      }
      const custom = { range: 12, datefrom: START - 61, dateto: START + 1 };
      expect((await client.get(path, { ...needs, ...custom })).json).toMatchObject({
        datefrom: START - 61,
        dateto: START + 1,
      });
      const padded = await client.get(path, { ...needs, ...custom, range: "012" });
      expect(padded.json).toEqual((await client.get(path, { ...needs, ...custom })).json);
      const toNow = await client.get(path, { ...needs, range: 12, datefrom: START - 7 });
      expect([toNow.json.datefrom, toNow.json.dateto]).toEqual([START - 7, START]);
      expect(changedTables(app, before)).toEqual([]);
    });

    test(`${path} counts days in the time zone of the settings as soon as that changes`, async () => {
      const { app, client } = await appWithHost();
      const admin = await app.admin();
      const midnights = { UTC: "2026-01-05T00:00:00Z", "Asia/Kolkata": "2026-01-04T18:30:00Z" };
      for (const [timezone, midnight] of Object.entries(midnights)) {
        expect((await admin.post("/api/1/admin/settings/update", { timezone })).status).toBe(200);
        expect((await client.get(path, needs)).json.datefrom).toBe(unix(midnight));
      }
    });
  }

  test("today is the default of uptime reports, as the reply says", async () => {
    const { client } = await appWithHost();
    for (const path of ["list", "get", "bars"])
      expect((await client.get(`/api/1/reports/uptime/${path}`, { id: 1 })).json.range).toBe(0);
  });
});
