import { expect, test } from "bun:test";
import { ruleArguments } from "../../../web/alerting/rule-arguments.ts";

test("the severities that are checked are those of the rule, and none is a rule of all", () => {
  const values = new FormData();
  expect(ruleArguments(values).filter.severities).toBeUndefined();
  values.append("severity", "1");
  values.append("severity", "2");
  expect(ruleArguments(values).filter.severities).toEqual([1, 2]);
});
