import * as v from "valibot";

export interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** Totals of `bun test --reporter=junit`, from the attributes of the root element. */
const number = v.pipe(v.string(), v.toNumber());
const totalsSchema = v.object({ "@tests": number, "@failures": number, "@skipped": number });
const reportSchema = v.object({ testsuites: v.looseObject(totalsSchema.entries) });

/** The runner's totals and elements; null if the report is incomplete. */
function readReport(report: string) {
  try {
    return v.parse(reportSchema, Bun.XML.parse(report)).testsuites;
  } catch {
    return null;
  }
}

/** An element that may occur not at all, once or several times. */
const elements = (value: unknown): Record<string, unknown>[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as Record<string, unknown>];

/** Names of skipped tests in a suite and those within it. */
function skippedIn(suite: Record<string, unknown>): string[] {
  const skipped = elements(suite.testcase).filter((test) => "skipped" in test);
  return [...skipped.map((test) => String(test["@name"])), ...elements(suite.testsuite).flatMap(skippedIn)];
}

/** The programs that a skipped test names as the reason (`needing` in test/support/programs.ts). */
const reasonsOf = (name: string) =>
  [...name.matchAll(/ \[needs ([^\]]+)\](?=$| \[)/g)].map(([, program = ""]) => program);

/**
 * Counts a run of `bun test` by its report and its exit code. A test is skipped when a program that it needs does not
 * run here. A test that was skipped for another reason, or is "todo", counts as failed. So does a run that was
 * aborted, had no test, or failed outside of its tests.
 * @param report JUnit XML; empty if none was written
 * @param missing the programs that do not run here
 * @param neededByAll a program that every test of this run needs
 */
export function countTests(
  report: string,
  exitCode: number,
  missing: ReadonlySet<string> = new Set(),
  neededByAll?: string,
): Count {
  const totals = readReport(report);
  if (totals === null) return { passed: 0, failed: 1, skipped: 0 };
  const isExcused = (name: string) => {
    const reasons = neededByAll === undefined ? reasonsOf(name) : [neededByAll];
    return reasons.length > 0 && reasons.every((reason) => missing.has(reason));
  };
  const skipped = skippedIn(totals).filter(isExcused).length;
  const failed = totals["@failures"] + totals["@skipped"] - skipped;
  const passed = totals["@tests"] - failed - skipped;
  // If no test was tried, the exit code says nothing else.
  const hasFailed = (exitCode !== 0 && neededByAll === undefined) || passed + skipped === 0;
  return { passed, failed: failed === 0 && hasFailed ? 1 : failed, skipped };
}

/** Counts a command without tests of its own as one. */
export function countOne(exitCode: number): Count {
  return { passed: Number(exitCode === 0), failed: Number(exitCode !== 0), skipped: 0 };
}

/** Longest excerpt of an error, or of an output that names no test, lines. */
const EXCERPT_LINES = 20;

/**
 * The failed tests in the output of `bun test`, each with the beginning of its error; or the end of an output that
 * names none.
 */
export function failuresIn(output: string): string {
  const excerpt: string[] = [];
  const failures: string[] = [];
  for (const line of output.split("\n")) {
    if (/^\w*error: /i.test(line) || excerpt.length > 0) excerpt.push(line);
    if (!/^\((fail|skip|todo)\) /.test(line) || reasonsOf(line).length > 0) continue;
    failures.push(
      line,
      ...excerpt.slice(0, EXCERPT_LINES).filter((other) => other !== line && other.trim() !== ""),
    );
    excerpt.length = 0;
  }
  return (failures.length > 0 ? failures : output.trimEnd().split("\n").slice(-EXCERPT_LINES)).join("\n");
}

/** Adds up the counts of several runs. */
export function sum(counts: readonly Count[]): Count {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of counts) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/** The line that ends a run. */
export function totalLine({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}
