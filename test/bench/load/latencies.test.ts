import { expect, test } from "bun:test";
import { Latencies } from "./latencies.ts";

const of = (...times: number[]) => {
  const latencies = new Latencies();
  for (const time of times) latencies.add(time);
  return latencies;
};

test("a percentile is the time that this share of all does not exceed, to one percent", () => {
  const latencies = of(...Array.from({ length: 1000 }, (_, i) => i + 1));
  for (const [share, exact] of [
    [0.5, 500],
    [0.99, 990],
    [0.999, 999],
  ] as const)
    expect(Math.abs(latencies.percentile(share) / exact - 1)).toBeLessThan(0.011);
  expect(latencies.count).toBe(1000);
  expect(latencies.max).toBe(1000);
});

test("one slow answer among a hundred is not in the 99th percentile, but two are", () => {
  const fast = Array.from({ length: 98 }, () => 1);
  expect(of(...fast, 1, 5000).percentile(0.99)).toBeLessThan(1.02);
  expect(of(...fast, 5000, 5000).percentile(0.99)).toBeGreaterThan(4900);
});

test("no percentile is longer than the longest time", () => {
  for (const longest of [7, 6.9, 1234.5]) {
    expect(of(longest).percentile(1)).toBeLessThanOrEqual(longest);
    expect(of(longest).percentile(1)).toBeGreaterThan(longest * 0.98);
  }
  expect(of(0).percentile(0.5)).toBe(0);
});

test("without times everything is 0", () => {
  expect(of().percentile(0.99)).toBe(0);
  expect(of().max).toBe(0);
});
