import { expect, test } from "bun:test";
import { Csv } from "../../../src/platform/http/csv.ts";

test("a cell that holds a separator of any country's spreadsheets is quoted, and one that begins like a formula is none", () => {
  const cells = ["plain", "a,b", "a;b", "a\tb", "a|b", 'a"b', "a\nb", "=1+1", "x;=1+1", -5, null];
  expect(new Csv("cells.csv", [cells]).text).toBe(
    'plain,"a,b","a;b","a\tb","a|b","a""b","a\nb",\'=1+1,"x;=1+1",-5,\r\n',
  );
});
