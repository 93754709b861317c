import { expect, test } from "bun:test";
import { FORECASTS, fullIn } from "../../../web/forecasts/forecasts.texts.ts";

test("a forecast is told in days, with its range in whole days around it", () => {
  const told = (days: number, daysfrom: number, daysto: number | null) => fullIn({ days, daysfrom, daysto });
  expect(told(9.2, 5.4, 15.1)).toBe("Full in 9 days (5 to 16)");
  expect(told(1.2, 0.9, 1.7)).toBe("Full in 1 day (0 to 2)");
  expect(told(0.3, 0, 0.4)).toBe("Full today (0 to 1)");
  expect(told(40, 20, null)).toBe("Full in 40 days (20 or more)");
});

test("growth has two decimals while it is slow", () => {
  expect([0.123, 1.26].map(FORECASTS.growth)).toEqual(["grows by 0.12 % a day", "grows by 1.3 % a day"]);
});
