/** Every exported function, component and class says in a doc comment what its name and types do not. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./markdown.ts";

const files = [...new Bun.Glob("{src,web}/**/*.{ts,tsx}").scanSync(ROOT)].sort();

/** A line that declares one. An arrow function may have type parameters. */
const DECLARATION =
  /^export (?:default )?(?:(?:async )?function\*? *|(?:abstract )?class |const (?=\w+(?:: [^=]+)? = (?:async )?[(<]))(\w+)/;

/** The names in a file that have no comment. Of a function with overloads, the first one has it. */
function undocumented(text: string): string[] {
  const lines = text.split("\n");
  const nameIn = (line = "") => DECLARATION.exec(line)?.[1];
  return lines.flatMap((line, i) => {
    const name = nameIn(line);
    const before = lines[i - 1];
    return name === undefined || before?.endsWith("*/") || nameIn(before) === name ? [] : [name];
  });
}

test("every exported function, component and class has a doc comment", () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    undocumented(readFileSync(join(ROOT, file), "utf8")).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test("one without a comment is noticed", () => {
  const text =
    "/** A. */\nexport function a() {}\n\nexport function* b() {}\nexport const c = <T>(x: T) => x;\nexport class D {}\n";
  expect(undocumented(text)).toEqual(["b", "c", "D"]);
});
