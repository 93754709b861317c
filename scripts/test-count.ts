import * as v from "valibot";

export interface Count {
  passed: number;
  failed: number;
}

/** What `bun test --reporter=junit` says of a whole run, in the attributes of its outermost element. */
const number = v.pipe(v.string(), v.toNumber());
const reportSchema = v.object({
  testsuites: v.object({ "@tests": number, "@failures": number, "@skipped": number }),
});

/** The runner's own numbers; null when it left no whole report. */
function totalsOf(report: string) {
  try {
    return v.parse(reportSchema, Bun.XML.parse(report)).testsuites;
  } catch {
    return null;
  }
}

/**
 * Counts a run of `bun test` by its report and its exit code. A test that is skipped or left to do was not run: it counts
 * as failed. So does a run that broke off, ran nothing, or failed outside of its tests.
 * @param report in the form of JUnit; empty when none was written
 */
export function countTests(report: string, exitCode: number): Count {
  const totals = totalsOf(report);
  if (totals === null) return { passed: 0, failed: 1 };
  const failed = totals["@failures"] + totals["@skipped"];
  const passed = totals["@tests"] - failed;
  return { passed, failed: failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : failed };
}

export function sum(counts: readonly Count[]): Count {
  const total = { passed: 0, failed: 0 };
  for (const { passed, failed } of counts) {
    total.passed += passed;
    total.failed += failed;
  }
  return total;
}
