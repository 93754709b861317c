import { expect, test } from "bun:test";
import { median } from "../../src/platform/median.ts";

test("the median is the middle value, or between the two middle ones, of the values that are not missing", () => {
  expect([[3, 1, 2], [4, 1, 2, 3], [7], [Number.NaN, 7, 1], []].map(median)).toEqual([
    2,
    2.5,
    7,
    4,
    Number.NaN,
  ]);
});
