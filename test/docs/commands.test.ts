/**
 * Commands within the sentences and tables of the documentation: that they exist, with every option. Their fenced
 * blocks are run and checked by test/e2e/documented-*.test.ts.
 */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/commands.ts";
import { optionsOf } from "../../src/operations/commands/command-line.ts";
import { BENCHMARKS } from "../bench/catalogue.ts";
import { codeSpansOf, pages, proseOf, ROOT } from "./markdown.ts";

/** Commands of other programs, which a sentence only mentions. */
const FOREIGN = new Set(["monit -t", "monit reload", "systemctl reload muster", "drizzle-kit generate"]);

/** The fault of `muster WORDS`; null if there is none. A sentence may leave out operands. */
function faultOfMuster(words: string[]): string | null {
  if (words[0] === "help") return null;
  const [command] = COMMANDS.filter(({ name }) => `${words.join(" ")} `.startsWith(`${name} `)).sort(
    (a, b) => b.name.length - a.name.length,
  );
  if (!command) return "there is no such command";
  const flags = new Set([...optionsOf(command).map(({ flag }) => flag), "--help"]);
  // The words after -- belong to another program.
  const beforeProgram = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const unknown = beforeProgram.filter((word) => word.startsWith("--") && !flags.has(word));
  return unknown.length === 0 ? null : `there is no ${unknown.join(" or ")}`;
}

/** The fault of `make WORDS`: make plans it without running anything. */
function faultOfMake(words: string[]): string | null {
  const planned = Bun.spawnSync(["make", "--dry-run", ...words], { cwd: ROOT, stdin: "ignore" });
  return planned.exitCode === 0 ? null : planned.stderr.toString();
}

/** The fault of `bun SCRIPT WORDS`. */
function faultOfScript([script = "", name = ""]: string[]): string | null {
  if (!existsSync(join(ROOT, script))) return "there is no such script";
  const isBenchmark = script === "test/bench/bench.ts" && /^[a-z]/.test(name);
  return isBenchmark && !(name in BENCHMARKS) ? "there is no such benchmark" : null;
}

/** The fault of a command; null if there is none, undefined if it is not a command. */
function faultOf(code: string): string | null | undefined {
  const [program = "", ...words] = code.replace(/^sudo /, "").split(" ");
  if (words.length === 0 || [...FOREIGN].some((prefix) => code.startsWith(prefix))) return undefined;
  if (/^(\.\/)?muster$/.test(program)) return faultOfMuster(words);
  if (program === "make") return faultOfMake(words);
  if (/^(node_modules\/\.bin\/)?bun$/.test(program)) return faultOfScript(words);
  return /^(apt|apt-get|curl|docker|git|monit|npm|npx|podman|ssh-keygen|systemctl)$/.test(program)
    ? "is of another program, and not declared here"
    : undefined;
}

for (const page of pages)
  test(`every command in the sentences of ${page} exists`, () => {
    const faults = codeSpansOf(page).flatMap((code) => {
      const fault = faultOf(code);
      return fault === null || fault === undefined ? [] : [`${code}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

test("every benchmark in the tables of docs/performance.md exists", () => {
  const rows = proseOf("docs/performance.md")
    .split("\n")
    .filter((line) => /^\| .*` \|$/.test(line));
  const names = rows
    .flatMap((row) => /`([\w-]+)[^`]*` \|$/.exec(row)?.[1] ?? [])
    .filter((name) => name !== "bun");
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !(name in BENCHMARKS))).toEqual([]);
});

test("a command that does not exist is noticed", () => {
  expect(faultOf("muster frobnicate")).toBe("there is no such command");
  expect(faultOf("muster doctor --frobnicate")).toBe("there is no --frobnicate");
  expect(faultOf("make frobnicate")).toContain("No rule to make target");
  expect(faultOf("bun test/bench/bench.ts frobnicate")).toBe("there is no such benchmark");
  expect(faultOf("systemctl frobnicate muster")).toContain("another program");
  expect(faultOf("muster user passwd NAME")).toBeNull();
  expect(faultOf("the word muster")).toBeUndefined();
});
