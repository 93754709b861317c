import { expect, test } from "bun:test";
import { fittedStart } from "../../../web/charts/range.ts";

test("a range that is mostly empty begins with the first value; a full one stays", () => {
  const day = { from: 0, to: 86_400 };
  expect(fittedStart(day, 86_400 - 7200)).toBeCloseTo(86_400 - 7560);
  expect(fittedStart(day, 86_300)).toBe(86_400 - 600);
  expect(fittedStart(day, 3600)).toBe(0);
  expect(fittedStart(day, undefined)).toBe(0);
});
