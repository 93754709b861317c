import { expect, test } from "bun:test";
import { STATISTIC as S } from "../../../src/monit/statistic-types.ts";
import { vitalsOf } from "../../../web/hosts/host-vitals.tsx";

type Host = Parameters<typeof vitalsOf>[0];

const system = (...values: [type: { code: number }, value: number][]) =>
  ({
    services: [
      { typeid: 5, name: "sys", statistics: values.map(([{ code }, value]) => ({ type: code, value })) },
    ],
  }) as unknown as Host;

test("CPU usage of a host is the sum of all its parts, and at most 100 %", () => {
  expect(vitalsOf(system([S.cpuUser, 2], [S.cpuSystem, 1], [S.cpuSteal, 60])).cpu).toBe(63);
  expect(vitalsOf(system([S.cpuUser, 70.1], [S.cpuNice, 30])).cpu).toBe(100);
  expect(vitalsOf(system([S.memoryPercent, 40])).cpu).toBeNull();
});
