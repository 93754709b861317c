export interface Count {
  passed: number;
  failed: number;
}

/** The last number before `word` on a line of its own: the summary comes after whatever the tests print. */
function numberOf(word: string, output: string): number {
  return Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
}

/**
 * Reads the summary that `bun test` ends with. A test that is skipped or left to do was not run: it counts as failed,
 * and so does a run that broke off.
 */
export function countTests(output: string, exitCode: number): Count {
  const passed = numberOf("pass", output);
  const failed = numberOf("fail", output) + numberOf("skip", output) + numberOf("todo", output);
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
