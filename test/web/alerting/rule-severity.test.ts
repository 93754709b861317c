import { expect, test } from "bun:test";
import { filterText } from "../../../web/alerting/descriptions.ts";
import { ruleArguments } from "../../../web/alerting/rule-arguments.ts";

const NAMES = { host: String, group: String, channel: String, schedule: String };

test("the severities that are checked are those of the rule, and none empties its list", () => {
  const values = new FormData();
  expect(ruleArguments(values).severity).toEqual([""]);
  values.append("severity", "1");
  values.append("severity", "2");
  expect(ruleArguments(values).severity).toEqual(["1", "2"]);
});

test("a rule says in words which severities it is about", () => {
  expect(filterText({}, NAMES)).toBe("everything");
  expect(filterText({ severities: [2] }, NAMES)).toBe("everything, only critical failures of limits");
  expect(filterText({ states: [1], severities: [0, 1] }, NAMES)).toBe(
    "everything, only failures, only reported by agents or warnings of limits",
  );
});
