import { expect, test } from "bun:test";
import { UPTIME } from "../../../web/uptime/uptime.texts.ts";

test("an error budget is used to 100 % only if nothing is left and it is not exceeded", () => {
  const used = [2583, 2592, 2601].map((seconds) => UPTIME.used(seconds, 2592));
  expect(used).toEqual(["43.1 min (99 %)", "43.2 min (100 %)", "43.4 min (101 %)"]);
});

test("a few seconds are not 0 minutes", () => {
  expect([1, 2.9, 3, 62].map(UPTIME.minutes)).toEqual(["0.02 min", "0.05 min", "0.1 min", "1 min"]);
  expect(UPTIME.minutes(0)).toBe("0 min");
  expect(UPTIME.minutes(-2)).toBe("-0.03 min");
  expect(UPTIME.left(-2)).toBe("over by 0.03 min");
});
