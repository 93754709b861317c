/** The tables of the fields of rules and limits name all of them. */
import { expect, test } from "bun:test";
import { rule } from "../../src/alerting/rules/rules.schemas.ts";
import { limit } from "../../src/monitoring/limits/limits.schemas.ts";
import { textOf } from "./markdown.ts";

/** Every resource has these. */
const OF_ALL: readonly string[] = ["name", "enabled"];

test.each([
  ["docs/alerts.md", rule],
  ["docs/limits.md", limit],
] as const)("%s has a row for each field", (page, { content }) => {
  const rows = textOf(page)
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const cells = rows.map((row) => row.split(" | ")[1] ?? "").join(" ");
  const fields = Object.keys(content.entries).filter((name) => !OF_ALL.includes(name));
  expect(fields.filter((name) => !cells.includes(`\`${name}\``))).toEqual([]);
});
