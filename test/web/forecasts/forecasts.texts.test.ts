import { expect, test } from "bun:test";
import { fullIn } from "../../../web/forecasts/forecasts.texts.ts";

test("a forecast is shown in days, with its range in whole days", () => {
  const told = (days: number, daysfrom: number, daysto: number | null) =>
    fullIn({ days, daysfrom, daysto, growth: 1.26 });
  expect(told(9.2, 5.4, 15.1)).toBe("full in about 9 days (5 to 16), growing 1.3 % a day");
  expect(told(1.2, 0.9, 1.7)).toBe("full in about 1 day (0 to 2), growing 1.3 % a day");
  expect(told(0.3, 0, 0.4)).toBe("full today (0 to 1), growing 1.3 % a day");
  expect(told(40, 20, null)).toBe("full in about 40 days (20 or more), growing 1.3 % a day");
});

test("growth has two decimals while it is slow", () => {
  const slow = fullIn({ days: 9, daysfrom: 5, daysto: 16, growth: 0.123 });
  expect(slow).toBe("full in about 9 days (5 to 16), growing 0.12 % a day");
});
