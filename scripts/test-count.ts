import * as v from "valibot";

export interface Count {
  passed: number;
  failed: number;
}

/** Totals of `bun test --reporter=junit`, from the attributes of the root element. */
const number = v.pipe(v.string(), v.toNumber());
const reportSchema = v.object({
  testsuites: v.object({ "@tests": number, "@failures": number, "@skipped": number }),
});

/** The runner's totals; null if the report is incomplete. */
function totalsOf(report: string) {
  try {
    return v.parse(reportSchema, Bun.XML.parse(report)).testsuites;
  } catch {
    return null;
  }
}

/**
 * Counts a run of `bun test` by its report and its exit code. A skipped or "todo" test counts as failed. So
 * does a run that was aborted, ran no test, or failed outside of its tests.
 * @param report JUnit XML; empty if none was written
 */
export function countTests(report: string, exitCode: number): Count {
  const totals = totalsOf(report);
  if (totals === null) return { passed: 0, failed: 1 };
  const failed = totals["@failures"] + totals["@skipped"];
  const passed = totals["@tests"] - failed;
  return { passed, failed: failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : failed };
}

/** Longest excerpt of an error, or of an output that names no test, lines. */
const EXCERPT_LINES = 20;

/**
 * The failed tests in the output of `bun test`, each with the beginning of its error. The end of an output that names
 * none.
 */
export function failuresIn(output: string): string {
  const excerpt: string[] = [];
  const failures: string[] = [];
  for (const line of output.split("\n")) {
    if (/^\w*error: /i.test(line) || excerpt.length > 0) excerpt.push(line);
    if (!/^\((fail|skip|todo)\) /.test(line)) continue;
    failures.push(
      line,
      ...excerpt.slice(0, EXCERPT_LINES).filter((known) => known !== line && known.trim() !== ""),
    );
    excerpt.length = 0;
  }
  return (failures.length > 0 ? failures : output.trimEnd().split("\n").slice(-EXCERPT_LINES)).join("\n");
}

export function sum(counts: readonly Count[]): Count {
  const total = { passed: 0, failed: 0 };
  for (const { passed, failed } of counts) {
    total.passed += passed;
    total.failed += failed;
  }
  return total;
}
