import { describe, expect, test } from "bun:test";
import { availability, uptimePercent } from "../../../src/monitoring/uptime/availability.ts";
import { clip, type Interval, measure, subtract, union } from "../../../src/monitoring/uptime/intervals.ts";
import { Random } from "../../support/random.ts";

const SECONDS = 40;

/** Any interval, even empty or reversed. */
function randomIntervals(random: Random): Interval[] {
  return Array.from({ length: random.below(7) }, () => ({
    from: random.between(-5, SECONDS),
    to: random.between(-5, SECONDS),
  }));
}

/** The seconds that belong to any of the intervals. */
function seconds(intervals: readonly Interval[]): Set<number> {
  const numbers = new Set<number>();
  for (const { from, to } of intervals) for (let at = from; at < to; at++) numbers.add(at);
  return numbers;
}

function expectInOrder(intervals: readonly Interval[]): void {
  for (const [i, { from, to }] of intervals.entries()) {
    expect(from).toBeLessThan(to);
    expect(from).toBeGreaterThan(intervals[i - 1]?.to ?? Number.NEGATIVE_INFINITY);
  }
}

describe("interval arithmetic agrees with sets of seconds", () => {
  for (let seed = 1; seed <= 5; seed++)
    test(`seed ${seed}`, () => {
      const random = new Random(seed);
      for (let round = 0; round < 400; round++) {
        const [a, b] = [randomIntervals(random), randomIntervals(random)];
        const [unionA, unionB] = [union(a), union(b)];
        expectInOrder(unionA);
        expect(seconds(unionA)).toEqual(seconds(a));
        expect(measure(unionA)).toBe(seconds(a).size);
        const without = subtract(unionA, unionB);
        expect(seconds(without)).toEqual(seconds(a).difference(seconds(b)));
        expect(measure(without)).toBe(seconds(without).size);
        const window = { from: random.below(SECONDS), to: random.below(SECONDS) };
        expect(seconds(clip(a, window))).toEqual(seconds(a).intersection(seconds([window])));
      }
    });

  test("what is given is left as it is", () => {
    const cases = [
      { from: 5, to: 9 },
      { from: 1, to: 6 },
    ];
    const before = structuredClone(cases);
    union(cases);
    clip(cases, { from: 2, to: 3 });
    subtract(cases, cases);
    expect(cases).toEqual(before);
  });
});

describe("availability", () => {
  for (let seed = 1; seed <= 5; seed++)
    test(`every second of a window counts once, and excluded time wins over down, seed ${seed}`, () => {
      const random = new Random(seed);
      for (let round = 0; round < 400; round++) {
        const [down, excluded] = [randomIntervals(random), randomIntervals(random)];
        const knownSince = random.between(-10, SECONDS + 5);
        const window = { from: random.below(SECONDS), to: random.below(SECONDS) };
        const expected = { up: 0, down: 0, excluded: 0 };
        for (const at of seconds([window]))
          if (at < knownSince || seconds(excluded).has(at)) expected.excluded++;
          else if (seconds(down).has(at)) expected.down++;
          else expected.up++;
        expect(availability({ knownSince, down, excluded }, window)).toEqual(expected);
      }
    });

  const PERCENT: readonly [up: number, down: number, percent: number, why: string][] = [
    [0, 0, 100, "nothing counted"],
    [0, 5, 0, "never up"],
    [5, 0, 100, "never down"],
    [1, 2, 100 / 3, "up a third of the time"],
    [86_399, 1, (100 * 86_399) / 86_400, "a second of a day"],
  ];
  for (const [up, down, percent, why] of PERCENT)
    test(`${why}: ${percent} percent`, () => expect(uptimePercent({ up, down, excluded: 99 })).toBe(percent));
});
