import { expect, test } from "bun:test";
import { inOrder } from "../../../src/alerting/incidents/tie-groups.ts";

const moved = (name: string, earliest: number, latest: number, date = latest) => ({
  name,
  date,
  earliest,
  latest,
});
const order = (entries: readonly ReturnType<typeof moved>[]) =>
  inOrder(entries, 10).map(({ name, tie }) => `${tie} ${name}`);

test("entries that are certain to follow each other have numbers of their own", () => {
  expect(order([moved("c", 90, 120), moved("a", 0, 30), moved("b", 30, 60)])).toEqual(["1 a", "2 b", "3 c"]);
});

test("entries whose uncertainties overlap are a tie, in the order of their best estimates", () => {
  expect(order([moved("a", 0, 30), moved("b", 20, 50), moved("c", 29, 40), moved("d", 30, 60)])).toEqual([
    "1 a",
    "1 c",
    "1 b",
    "2 d",
  ]);
});

test("what may have moved first belongs to the first tie, however uncertain it is", () => {
  expect(order([moved("a", 10, 20), moved("slow", 0, 500, 300), moved("b", 30, 40)])).toEqual([
    "1 a",
    "1 slow",
    "2 b",
  ]);
});

test("what is known to the second is a tie only within that second", () => {
  const entries = [moved("later", 11, 11), moved("first", 10, 10), moved("second", 10, 10)];
  expect(order(entries)).toEqual(["1 first", "1 second", "2 later"]);
});

test("nothing moved, nothing is listed", () => {
  expect(inOrder([], 10)).toEqual([]);
});
