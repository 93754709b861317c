import { expect, test } from "bun:test";
import { isDue, lastTime, nextTime } from "../../../src/operations/backups/schedule.ts";

const at = (text: string) => Date.parse(text) / 1000;
const HOUR = 3600;

test("times are those of the time zone, also when clocks change", () => {
  const oslo = "Europe/Oslo";
  expect(nextTime(["03:00"], at("2026-06-01T00:00Z"), oslo)).toBe(at("2026-06-01T01:00Z"));
  expect(nextTime(["03:00"], at("2026-06-01T01:00Z"), oslo)).toBe(at("2026-06-02T01:00Z"));
  expect(lastTime(["03:00"], at("2026-06-01T01:00Z"), oslo)).toBe(at("2026-06-01T01:00Z"));
  // 02:30 is skipped on 29 March, and comes twice on 25 October.
  expect(nextTime(["02:30"], at("2026-03-28T12:00Z"), oslo)).toBe(at("2026-03-29T01:00Z"));
  expect(nextTime(["02:30"], at("2026-10-24T12:00Z"), oslo)).toBe(at("2026-10-25T00:30Z"));
  expect(nextTime(["02:30"], at("2026-10-25T00:30Z"), oslo)).toBe(at("2026-10-26T01:30Z"));
  expect(nextTime(["22:00", "06:00"], at("2026-06-01T10:00Z"), "UTC")).toBe(at("2026-06-01T22:00Z"));
});

test("a backup is due once after each of its times, and the first one at once", () => {
  const due = (stored: string | null, now: string) =>
    isDue(["03:00"], { stored: stored === null ? null : at(stored), failed: [] }, at(now), "UTC");
  expect(due(null, "2026-06-01T12:00Z")).toBe(true);
  expect(due("2026-06-01T12:00Z", "2026-06-02T02:59Z")).toBe(false);
  expect(due("2026-06-01T12:00Z", "2026-06-02T03:00Z")).toBe(true);
  expect(due("2026-06-02T03:00Z", "2026-06-02T03:00Z")).toBe(false);
  // Muster was off.
  expect(due("2026-06-02T03:00Z", "2026-06-20T01:00Z")).toBe(true);
});

test("after a failure it is tried again, later each time", () => {
  const now = at("2026-06-02T12:00Z");
  const due = (failed: number[]) => isDue(["03:00"], { stored: at("2026-06-01T03:00Z"), failed }, now, "UTC");
  expect(due([now - 599])).toBe(false);
  expect(due([now - 600])).toBe(true);
  expect(due([now - 1199, now - 2000])).toBe(false);
  expect(due([now - 1200, now - 2000])).toBe(true);
  const many = Array.from({ length: 40 }, () => now - 6 * HOUR);
  expect(due(many)).toBe(true);
  expect(due(many.map((time) => time + 1))).toBe(false);
});

test("a backup that was made while the clock was ahead does not stand in the way", () => {
  const now = at("2026-06-02T12:00Z");
  const due = (stored: number, failed: number[] = []) => isDue(["03:00"], { stored, failed }, now, "UTC");
  expect(due(now + HOUR)).toBe(false);
  expect(due(now + HOUR + 1)).toBe(true);
  expect(due(now - 86_400, [now + 2 * HOUR])).toBe(true);
});
