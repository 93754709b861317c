import { describe, expect, test } from "bun:test";
import { distributionOf, FAR, scoreOf, usualOf } from "../../../src/monitoring/history/fleet-numbers.ts";
import { Random } from "../../support/random.ts";

describe("a distribution", () => {
  test("counts every value once, in 20 bins next to each other", () => {
    const random = new Random(7);
    for (let round = 0; round < 200; round++) {
      const values = Array.from({ length: random.between(1, 60) }, () => random.between(-500, 500) / 7);
      const bins = distributionOf(values, round % 2 === 0);
      expect(bins.reduce((sum, { hosts }) => sum + hosts, 0)).toBe(values.length);
      for (const [i, bin] of bins.entries()) if (i > 0) expect(bin.from).toBeCloseTo(bins[i - 1]?.to ?? 0, 9);
    }
  });

  test("of percentages goes from 0 to 100; a value between two bins is in the upper one", () => {
    const bins = distributionOf([5, 4.99, 100], true);
    expect(bins.map(({ hosts }) => hosts)).toEqual([1, 1, ...Array(17).fill(0), 1]);
    expect([bins[0]?.from, bins.at(-1)?.to]).toEqual([0, 100]);
  });

  test("of values that are all the same has one bin, and of none it has none", () => {
    expect(distributionOf([3, 3], false)).toEqual([{ from: 3, to: 3, hosts: 2 }]);
    expect(distributionOf([], true)).toEqual([]);
  });
});

describe("what is far from its group", () => {
  const isFar = (value: number, group: readonly number[]) => {
    const usual = usualOf(group);
    return usual !== null && Math.abs(scoreOf(value, usual)) >= FAR;
  };

  test("is the odd one out, above and below", () => {
    expect(isFar(95, [40, 42, 41, 39, 43, 95])).toBe(true);
    expect(isFar(5, [40, 42, 41, 39, 43, 5])).toBe(true);
    expect(isFar(43, [40, 42, 41, 39, 43, 95])).toBe(false);
  });

  test("is not a small difference where all others are the same", () => {
    expect(isFar(55, [50, 50, 50, 50, 50, 55])).toBe(false);
    expect(isFar(60, [50, 50, 50, 50, 50, 60])).toBe(true);
  });

  test("is nothing in a group of fewer than five, or of zeros", () => {
    expect(usualOf([1, 1, 1, 99])).toBeNull();
    expect(usualOf([0, 0, 0, 0, 0, 9])).toBeNull();
  });
});
