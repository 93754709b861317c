import { expect, test } from "bun:test";
import { Csv } from "../../../src/platform/http/csv.ts";

test("a cell that holds a separator of any country's spreadsheets is quoted, and one that begins like a formula is none", () => {
  const cells = [
    "plain",
    "a,b",
    "a;b",
    "a\tb",
    "a|b",
    'a"b',
    "a\nb",
    "=1+1",
    "x;=1+1",
    -5,
    null,
    "\n=1",
    "＝1",
  ];
  expect(new Csv("cells.csv", [cells]).text).toBe(
    'plain,"a,b","a;b","a\tb","a|b","a""b","a\nb",\'=1+1,"x;=1+1",-5,,"\'\n=1",\'＝1\r\n',
  );
});
