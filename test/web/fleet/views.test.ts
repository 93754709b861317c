import { expect, test } from "bun:test";
import { CPU_PARTS } from "../../../src/monit/cpu-usage.ts";
import { metricOfView } from "../../../web/fleet/views.ts";

const keyOf = (statistics: readonly number[], descriptor = "") =>
  metricOfView({ statistics: [...statistics], descriptor }).key;

test("a view of CPU usage is one of all parts", () => {
  expect(keyOf(CPU_PARTS)).toBe("cpu");
});

test("a view of one type shows this type", () => {
  expect([keyOf([4]), keyOf([100]), keyOf([0], "1min")]).toEqual(["memory", "type-100", "load"]);
});
