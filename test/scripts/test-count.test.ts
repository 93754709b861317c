import { expect, test } from "bun:test";
import { countTests, sum } from "../../scripts/test-count.ts";

const summary = (lines: string[]) => ["test/a.test.ts:", "", ...lines, "Ran some tests [14.00ms]"].join("\n");

test("the summary of a run is counted", () => {
  expect(countTests(summary([" 12 pass", " 0 fail"]), 0)).toEqual({ passed: 12, failed: 0 });
  expect(countTests(summary([" 12 pass", " 3 fail", " 1 error"]), 1)).toEqual({ passed: 12, failed: 3 });
});

test("a test that was not run is no success", () => {
  expect(countTests(summary([" 2 pass", " 1 skip", " 1 todo", " 0 fail"]), 0)).toEqual({
    passed: 2,
    failed: 2,
  });
});

test("a run that broke off, or ran nothing, is a failure", () => {
  expect(countTests("segmentation fault", 139)).toEqual({ passed: 0, failed: 1 });
  expect(countTests(summary([" 2 pass", " 0 fail"]), 1)).toEqual({ passed: 2, failed: 1 });
  expect(countTests(summary([" 0 pass", " 0 fail"]), 0)).toEqual({ passed: 0, failed: 1 });
});

test("what tests print does not count", () => {
  expect(countTests(`99 pass\n50 fail\n${summary([" 2 pass", " 0 fail"])}`, 0)).toEqual({
    passed: 2,
    failed: 0,
  });
});

test("counts add up", () => {
  expect(sum([{ passed: 1, failed: 0 }, { passed: 2, failed: 3 }, sum([])])).toEqual({
    passed: 3,
    failed: 3,
  });
});
