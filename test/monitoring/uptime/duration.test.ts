import { expect, test } from "bun:test";
import { durationText } from "../../../src/monitoring/uptime/duration.ts";

const CASES: readonly [seconds: number, text: string][] = [
  [0, "0s"],
  [0.9, "0s"],
  [-5, "0s"],
  [1, "1s"],
  [59.9, "59s"],
  [60, "1m"],
  [310, "5m 10s"],
  [600, "10m"],
  [3600, "1h"],
  [3601, "1h"],
  [3660, "1h 1m"],
  [86_399, "23h 59m"],
  [86_400, "1d"],
  [86_460, "1d"],
  [2 * 86_400 + 3 * 3600 + 59 * 60, "2d 3h"],
  [400 * 86_400, "400d"],
];

for (const [seconds, text] of CASES)
  test(`${seconds} seconds read "${text}"`, () => expect(durationText(seconds)).toBe(text));
