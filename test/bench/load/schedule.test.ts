import { expect, test } from "bun:test";
import { conditionOf, turn } from "./schedule.ts";

test("agents report one after the other, spread over the poll time, and again a poll time later", () => {
  const schedule = { agents: 4, poll: 30, spread: 30 };
  expect([0, 1, 2, 3, 4, 5].map((nth) => turn(schedule, nth))).toEqual([
    { agent: 0, cycle: 0, at: 0 },
    { agent: 1, cycle: 0, at: 7500 },
    { agent: 2, cycle: 0, at: 15_000 },
    { agent: 3, cycle: 0, at: 22_500 },
    { agent: 0, cycle: 1, at: 30_000 },
    { agent: 1, cycle: 1, at: 37_500 },
  ]);
});

test("agents that are aligned all report at the beginning of a cycle", () => {
  const schedule = { agents: 3, poll: 30, spread: 0 };
  expect([0, 1, 2, 3].map((nth) => turn(schedule, nth).at)).toEqual([0, 0, 0, 30_000]);
});

test("a service fails for some cycles with one event at the beginning and one at the end", () => {
  const conditions = Array.from({ length: 200 }, (_, cycle) => conditionOf(1, cycle));
  const count = (which: string) => conditions.filter((condition) => condition === which).length;
  expect([count("fails"), count("failing"), count("recovers")]).toEqual([1, 2, 1]);
  const begin = conditions.indexOf("fails");
  expect(conditions.slice(begin, begin + 4)).toEqual(["fails", "failing", "failing", "recovers"]);
});

test("in each cycle about one agent in 200 begins to fail", () => {
  const failing = Array.from({ length: 10_000 }, (_, agent) => conditionOf(agent, 3));
  expect(failing.filter((condition) => condition === "fails")).toHaveLength(50);
});
