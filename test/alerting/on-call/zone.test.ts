import { expect, test } from "bun:test";
import { wallTime, Zone } from "../../../src/alerting/on-call/zone.ts";
import { instantOf } from "../../../src/platform/local-time.ts";

/** Zones whose clocks change at night, by half an hour, over a whole day, at midnight, twice a year, or never. */
const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "America/Sao_Paulo",
  "Africa/Casablanca",
  "Antarctica/Troll",
  "Asia/Kathmandu",
  "UTC",
];

test("a time of the wall clock is the instant that Temporal says, in every zone", () => {
  for (const timezone of ZONES) {
    const zone = new Zone(timezone);
    const wrong: string[] = [];
    // Apia left out 30 December 2011; in March and October clocks change elsewhere.
    for (const month of ["2011-12", "2017-02", "2017-10", "2026-03", "2026-10"])
      for (let day = 1; day <= 28; day++) {
        const date = Temporal.PlainDate.from(`${month}-01`).add({ days: day + 2 });
        for (const time of ["00:00", "00:30", "01:45", "02:00", "02:15", "03:00", "12:00", "23:59"]) {
          const instant = zone.instantOf(wallTime(String(date), time));
          if (instant !== instantOf(date, time, timezone)) wrong.push(`${timezone} ${date} ${time}`);
        }
      }
    expect(wrong).toEqual([]);
  }
});

test("the wall clock shows what Temporal says, also at the moment of a change", () => {
  for (const timezone of ZONES) {
    const zone = new Zone(timezone);
    let change: Temporal.ZonedDateTime | null = Temporal.ZonedDateTime.from(`2010-01-01T00:00[${timezone}]`);
    for (let i = 0; i < 12 && change; i++) {
      const at = change.epochMilliseconds / 1000;
      for (const each of [at - 1, at, at + 1]) {
        const wall = Temporal.Instant.fromEpochMilliseconds(each * 1000).toZonedDateTimeISO(timezone);
        expect(zone.wallAt(each)).toBe(Date.parse(`${wall.toPlainDateTime()}Z`) / 1000);
      }
      change = change.getTimeZoneTransition("next");
    }
  }
});
