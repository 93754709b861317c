import { expect, test } from "bun:test";
import { excerpts, MAX_EXCERPT } from "../../../src/monitoring/ingest/output-change.ts";
import { Random } from "../../support/random.ts";

const text = (...lines: string[]) => lines.join("\n");

test("what differs are the lines from the first to the last difference", () => {
  const before = text("checked 3 sites", "shop: valid", "mail: valid", "end");
  const after = text("checked 3 sites", "shop: expired", "mail: valid", "end");
  expect(excerpts(before, after)).toEqual({ before: "shop: valid", after: "shop: expired" });
});

test("a line that came or went stands for itself", () => {
  const lines = text("one", "three");
  expect(excerpts(lines, text("one", "two", "three"))).toEqual({ before: "three", after: "two\nthree" });
  expect(excerpts(`${lines}\n`, `${lines}\nfour`)).toEqual({ before: "", after: "four" });
  expect(excerpts("", "first")).toEqual({ before: "", after: "first" });
  expect(excerpts("last", "")).toEqual({ before: "last", after: "" });
});

test("of a long line only the end of what both have in common is shown", () => {
  const same = "x".repeat(500);
  expect(excerpts(`${same}old`, `${same}new`)).toEqual({
    before: `...${"x".repeat(60)}old`,
    after: `...${"x".repeat(60)}new`,
  });
});

test("no excerpt is longer than its bound or cuts a character in two, whatever the texts are", () => {
  const random = new Random(7);
  const pieces = ["a", "ø", "日", "🙂", "\n", "\t", "<b>", "\ufffd", "\r\n"];
  const any = (most: number) =>
    Array.from({ length: random.below(most) }, () => random.pick(pieces)).join("");
  for (let i = 0; i < 3000; i++) {
    const [start, end] = [any(200), any(50)];
    const [before, after] = [start + any(100) + end, start + any(100) + end];
    const excerpt = excerpts(before, after);
    for (const text of [excerpt.before, excerpt.after]) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_EXCERPT);
      expect(text.isWellFormed()).toBe(true);
      expect(text.replaceAll("\ufffd", "")).toBe(Buffer.from(text).toString("utf8").replaceAll("\ufffd", ""));
    }
    if (before !== after && Math.max(before.length, after.length) < 60)
      expect(excerpt.before).not.toBe(excerpt.after);
  }
});
