import { expect, test } from "bun:test";
import { UPTIME } from "../../../web/uptime/uptime.texts.ts";

test("an error budget is used to 100 % only if nothing is left and it is not exceeded", () => {
  const used = [2583, 2592, 2601].map((seconds) => UPTIME.used(seconds, 2592));
  expect(used).toEqual(["43.1 min (99 %)", "43.2 min (100 %)", "43.4 min (101 %)"]);
});
