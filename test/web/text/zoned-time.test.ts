import { expect, test } from "bun:test";
import { fromZonedInput, toZonedInput } from "../../../web/text/zoned-time.ts";

const unix = (date: string) => Date.parse(date) / 1000;

/** In Oslo the clocks go from 02:00 to 03:00 on 29 March 2026 and from 03:00 to 02:00 on 25 October 2026. */
const CASES: readonly [zone: string, local: string, utc: string][] = [
  ["Europe/Oslo", "2026-01-01T00:00", "2025-12-31T23:00Z"],
  ["Europe/Oslo", "2026-03-29T01:59", "2026-03-29T00:59Z"],
  ["Europe/Oslo", "2026-03-29T03:00", "2026-03-29T01:00Z"],
  ["Europe/Oslo", "2026-10-25T01:59", "2026-10-24T23:59Z"],
  ["Europe/Oslo", "2026-10-25T03:00", "2026-10-25T02:00Z"],
  ["Pacific/Auckland", "2026-11-01T00:00", "2026-10-31T11:00Z"],
  ["Asia/Kolkata", "2026-06-01T12:30", "2026-06-01T07:00Z"],
  ["America/St_Johns", "2026-11-01T00:30", "2026-11-01T03:00Z"],
  ["UTC", "2026-02-28T23:59", "2026-02-28T23:59Z"],
];

test.each(CASES)("in %s %s is %s, and back", (zone, local, utc) => {
  expect(fromZonedInput(local, zone)).toBe(unix(utc));
  expect(toZonedInput(unix(utc), zone)).toBe(local);
});

test("a time that is twice is one of both, and an empty field has none", () => {
  const twice = fromZonedInput("2026-10-25T02:30", "Europe/Oslo");
  expect([unix("2026-10-25T00:30Z"), unix("2026-10-25T01:30Z")]).toContain(twice ?? 0);
  expect(fromZonedInput("", "Europe/Oslo")).toBeNull();
});

test.each(["0002", "0020", "0202"])("%s is no year, but one that is being typed", (year) => {
  expect(fromZonedInput(`${year}-06-01T12:30`, "Europe/Oslo")).toBeNull();
});
