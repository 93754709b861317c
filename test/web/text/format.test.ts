import { describe, expect, test } from "bun:test";
import {
  counted,
  formatAbsolute,
  formatBytes,
  formatClockOrDate,
  formatDuration,
  formatMinute,
  formatMinuteNear,
  formatNumber,
  formatRelative,
  formatUptime,
  formatUsage,
  fromLocalInput,
  toLocalInput,
  toLocalSeconds,
} from "../../../web/text/format.ts";

describe("numbers", () => {
  test("have their thousands apart and no trailing zeros", () => {
    expect(formatNumber(10_000)).toBe("10,000");
    expect(formatNumber(1.04)).toBe("1");
    expect(formatNumber(1.25, 2)).toBe("1.25");
    expect(formatNumber(-1.25, 2)).toBe("-1.25");
    expect(formatNumber(-0.04)).toBe("0");
  });

  test("are counted in the singular only when there is one", () => {
    expect(counted(0, "host")).toBe("0 hosts");
    expect(counted(1, "host")).toBe("1 host");
    expect(counted(1200, "host")).toBe("1,200 hosts");
  });

  test("of bytes are in the largest unit that leaves at least one", () => {
    expect(formatBytes(0)).toBe("0 B");
    expect(formatBytes(1023)).toBe("1,023 B");
    expect(formatBytes(1024)).toBe("1 KiB");
    expect(formatBytes(1.5 * 1024 ** 3)).toBe("1.5 GiB");
    expect(formatBytes(5000 * 1024 ** 5)).toBe("5,000 PiB");
  });
});

describe("durations", () => {
  for (const [seconds, text] of [
    [0, "0 s"],
    [0.5, "0 s"],
    [59, "59 s"],
    [60, "1 min"],
    [61, "1 min 1 s"],
    [3600, "1 h"],
    [3659, "1 h"],
    [7260, "2 h 1 min"],
    [86_400 + 3599, "1 d"],
    [99 * 86_400 + 23 * 3600 + 59, "99 d 23 h"],
  ] as const)
    test(`of ${seconds} seconds read "${text}"`, () => expect(formatDuration(seconds)).toBe(text));
});

describe("uptime", () => {
  test("is never rounded up to 100 percent", () => {
    expect(formatUptime(100)).toBe("100 %");
    expect(formatUptime(99.99999)).toBe("99.999 %");
    expect(formatUptime(64.1)).toBe("64.100 %");
    expect(formatUptime(0)).toBe("0.000 %");
  });

  test("usages have a decimal below ten, and are 100 only if they are exactly that", () => {
    expect([0, 9.5, 64.2, 99.4, 99.9, 100].map(formatUsage)).toEqual([
      "0.0 %",
      "9.5 %",
      "64 %",
      "99 %",
      "99 %",
      "100 %",
    ]);
  });
});

describe("times", () => {
  test("are told in one unit, before and after now", () => {
    expect(formatRelative(1000, 1000)).toBe("now");
    expect(formatRelative(1003, 1000)).toBe("now");
    expect(formatRelative(988, 1000)).toBe("12 s ago");
    expect(formatRelative(1000 - 119, 1000)).toBe("1 min ago");
    expect(formatRelative(0, 90_000)).toBe("1 d ago");
    expect(formatRelative(8200, 1000)).toBe("in 2 h");
  });

  test("what is left is rounded to the nearest, so that it begins with all of it", () => {
    const left: readonly (readonly [seconds: number, text: string])[] = [
      [30 * 86_400, "30 d"],
      [30 * 86_400 - 1, "30 d"],
      [29.5 * 86_400, "30 d"],
      [29.5 * 86_400 - 1, "29 d"],
      [86_399, "1 d"],
      [25 * 3600, "1 d"],
      [36 * 3600, "2 d"],
      [3599, "1 h"],
      [90, "2 min"],
      [59, "59 s"],
    ];
    for (const [seconds, text] of left) expect(formatRelative(1000 + seconds, 1000)).toBe(`in ${text}`);
  });

  test("are written in full, in another time zone if one is named", () => {
    const at = Date.UTC(2026, 2, 9, 4, 5, 7) / 1000;
    expect(formatAbsolute(at)).toMatch(/^Mar 9, 2026, 04:05:07\sAM$/);
    expect(formatMinute(at, "Asia/Tokyo")).toMatch(/^Mar 9, 2026, 01:05\sPM$/);
    expect(formatMinuteNear(at, at + 60, "Asia/Tokyo")).toMatch(/^01:05\sPM$/);
  });

  test("have no date where it is clear: on the same day, and some hours before or after midnight", () => {
    const evening = Date.UTC(2026, 2, 9, 22, 30) / 1000;
    for (const other of [evening + 3 * 3600, evening - 3600, evening - 20 * 3600]) {
      expect(formatMinuteNear(evening, other)).toMatch(/^10:30\sPM$/);
      expect(formatClockOrDate(evening, other)).toMatch(/^10:30\sPM$/);
    }
    expect(formatMinuteNear(evening, evening + 12 * 3600)).toMatch(/^Mar 9, 2026, 10:30\sPM$/);
    expect(formatClockOrDate(evening, evening + 12 * 3600)).toBe("Mar 9, 2026");
  });

  test("come back from an input as they went in, to the minute", () => {
    const at = Date.UTC(2026, 2, 9, 4, 5, 0) / 1000;
    expect(fromLocalInput(toLocalInput(at))).toBe(at);
    expect(fromLocalInput("")).toBeNull();
  });

  test("of an input that was not changed are exact", () => {
    const at = Date.UTC(2026, 2, 9, 4, 5, 7) / 1000;
    expect(fromLocalInput(toLocalInput(at), at)).toBe(at);
    expect(fromLocalInput(toLocalInput(at + 60), at)).toBe(at + 53);
    expect(fromLocalInput(toLocalInput(at), at, toLocalSeconds)).toBe(at - 7);
    expect(fromLocalInput("", at)).toBeNull();
  });
});
