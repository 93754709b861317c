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

export function sum(counts: readonly Count[]): Count {
  const total = { passed: 0, failed: 0 };
  for (const { passed, failed } of counts) {
    total.passed += passed;
    total.failed += failed;
  }
  return total;
}
