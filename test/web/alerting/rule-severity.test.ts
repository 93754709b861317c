import { expect, test } from "bun:test";
import { ruleArguments } from "../../../web/alerting/rule-arguments.ts";

test("the severities that are checked are those of the rule, and none empties its list", () => {
  const values = new FormData();
  expect(ruleArguments(values).severity).toEqual([""]);
  values.append("severity", "1");
  values.append("severity", "2");
  expect(ruleArguments(values).severity).toEqual(["1", "2"]);
});
