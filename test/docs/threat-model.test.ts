/** Each threat in docs/threat-model.md names a test that exists, so that a defence does not vanish unnoticed. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { proseOf, ROOT } from "./markdown.ts";

const PAGE = "docs/threat-model.md";
const REFERENCE = /\[[^\]]+\]\(\.\.\/(test\/[^)]+\.test\.ts)\): \*([^*]+)\*/g;

/** The cells of each row of the tables. */
const rows = proseOf(PAGE)
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (Threat|---)/.test(line))
  .map((line) => line.split(" |").map((cell) => cell.replace(/^\|? ?/, "")));

/**
 * Whether the file has a test, or a group of tests, with this title. Three dots stand for what differs in its cases.
 */
function hasTest(file: string, title: string): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  const varying = String.raw`(\$\{.+\}|\$\w+)`;
  const parts = title.split("...").map((part) => RegExp.escape(part));
  const called = new RegExp(`\\b(test|describe)(\\.each\\(.*\\))?\\(\\s*(["\`])${parts.join(varying)}\\3`);
  return called.test(readFileSync(join(ROOT, file), "utf8"));
}

test("every row has a threat, a defence and a test that exists", () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const [threat = "", defence = "", held = ""] of rows) {
    expect([threat, defence].every((cell) => cell.length > 3)).toBe(true);
    const references = [...held.matchAll(REFERENCE)].map(([, file = "", title = ""]) => ({ file, title }));
    expect({ threat, references: references.length }).not.toEqual({ threat, references: 0 });
    expect(held.replaceAll(REFERENCE, "").replaceAll("; ", "")).toBe("");
    expect({ threat, missing: references.filter(({ file, title }) => !hasTest(file, title)) }).toEqual({
      threat,
      missing: [],
    });
  }
});

test("a test that does not exist is noticed", () => {
  expect(hasTest("test/docs/threat-model.test.ts", "a test that does not exist is noticed")).toBe(true);
  expect(hasTest("test/docs/threat-model.test.ts", "a test that does not exist")).toBe(false);
  expect(hasTest("test/docs/no-such.test.ts", "a test that does not exist is noticed")).toBe(false);
});
