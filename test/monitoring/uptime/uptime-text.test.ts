import { expect, test } from "bun:test";
import { roundedUptime, uptimeText } from "../../../src/monitoring/uptime/uptime-text.ts";

test("an uptime is rounded down, so that only 100 shows as 100", () => {
  const texts = [100, 99.9999, 99.9996, 99.95, 99.5, 90, 0].map(uptimeText);
  expect(texts).toEqual(["100%", "99.999%", "99.999%", "99.95%", "99.5%", "90%", "0%"]);
});

test("what has three decimals is shown as it is", () => {
  const thousandths = Array.from({ length: 100_001 }, (_, i) => i);
  const changed = thousandths.filter((n) => roundedUptime(n / 1000) !== n / 1000);
  expect(changed).toEqual([]);
});
