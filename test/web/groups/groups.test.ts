import { expect, test } from "bun:test";
import { memberChanges } from "../../../web/groups/groups.tsx";

test("members of a group change by what was added and what was removed", () => {
  expect(memberChanges([1, 2, 3], new Set([2, 4]))).toEqual({ add: [4], remove: [1, 3] });
});
