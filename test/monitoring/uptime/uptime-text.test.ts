import { expect, test } from "bun:test";
import { roundedUptime, uptimeText, wholePercent } from "../../../src/monitoring/uptime/uptime-text.ts";

test("an uptime is rounded down, so that only 100 shows as 100", () => {
  const texts = [100, 99.9999, 99.9996, 99.95, 99.5, 90, 0].map(uptimeText);
  expect(texts).toEqual(["100%", "99.999%", "99.999%", "99.95%", "99.5%", "90%", "0%"]);
});

test("what has three decimals is shown as it is", () => {
  const thousandths = Array.from({ length: 100_001 }, (_, i) => i);
  const changed = thousandths.filter((n) => roundedUptime(n / 1000) !== n / 1000);
  expect(changed).toEqual([]);
});

test("a whole percentage is 100 only if it is exactly that", () => {
  const percents = [0, 0.4, 64.5, 99.4, 99.6, 100, 100.004, 100.6, 347.2];
  expect(percents.map(wholePercent)).toEqual([0, 0, 65, 99, 99, 100, 101, 101, 347]);
  const tenths = [0.1, 64.1, 35.8];
  const sum = tenths.reduce((total, tenth) => total + tenth, 0);
  expect([sum < 100, wholePercent(sum)]).toEqual([true, 100]);
});
