import { expect, test } from "bun:test";
import { CPU_PARTS } from "../../../src/monit/cpu-usage.ts";
import { metricOf } from "../../../web/limits/metrics.ts";

const limit = (statistics: readonly number[]) =>
  metricOf({ statistics: [...statistics], descriptor: "", perprocessor: false, period: "message" });

test("a limit on all parts of CPU usage is one of the choices", () => {
  expect(limit(CPU_PARTS)).toMatchObject({ key: "cpu", label: "CPU usage", unit: "%" });
});

test("a limit on some parts of CPU usage keeps them, and says that they are not all", () => {
  const some = [1, 2, 3, 100, 101, 102, 103];
  expect(limit(some)).toMatchObject({ key: "own", label: "CPU usage (7 of 9 parts)", statistics: some });
});

test("a limit on a sum that is no choice is named after its statistics", () => {
  expect(limit([4, 6]).label).toBe("Memory usage + swap usage");
});
