import { expect, test } from "bun:test";
import { uptimeText } from "../../../src/monitoring/uptime/uptime-text.ts";

test("an uptime is rounded down, so that only 100 shows as 100", () => {
  const texts = [100, 99.9999, 99.9996, 99.95, 99.5, 90, 0].map(uptimeText);
  expect(texts).toEqual(["100%", "99.999%", "99.999%", "99.95%", "99.5%", "90%", "0%"]);
});
