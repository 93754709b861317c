import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Count, countTests } from "./test-count.ts";
import { TOOLS_PATH } from "./test-tools.ts";

export const ROOT = join(import.meta.dir, "..");
export const BUN = process.execPath;
/**
 * Guards against hanging; not a performance requirement. Milliseconds after which a step, or a single test in it, is
 * aborted and counts as failed. No machine is that slow.
 */
const STEP_TIMEOUT = 1_800_000;
const TEST_TIMEOUT = 300_000;

export interface Step {
  name: string;
  command: string[];
  /** Whether the command is `bun test`, whose tests are counted. Any other command counts as one test. */
  reports: boolean;
}

export interface Outcome {
  count: Count;
  output: string;
  seconds: number;
  /** Seconds of processor time of the command and of all that it started and waited for. */
  cpu: number;
}

/** @param what files, folders and options of `bun test` */
export function bunTest(name: string, ...what: string[]): Step {
  const quiet = ["--no-orphans", "--only-failures", `--timeout=${TEST_TIMEOUT}`];
  return { name, reports: true, command: [BUN, "test", ...quiet, ...what] };
}

function countOf(report: string | null, exitCode: number): Count {
  if (report === null) return { passed: Number(exitCode === 0), failed: Number(exitCode !== 0) };
  return countTests(existsSync(report) ? readFileSync(report, "utf8") : "", exitCode);
}

/** @param prefix a command that runs the step's, such as `taskset` with its options */
export async function runStep({ command, reports }: Step, prefix: readonly string[] = []): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "muster-test-report-"));
  const report = reports ? join(folder, "report.xml") : null;
  const reporter = report === null ? [] : ["--reporter=junit", `--reporter-outfile=${report}`];
  const startedAt = performance.now();
  const child = Bun.spawn([...prefix, ...command, ...reporter], {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", PATH: TOOLS_PATH },
    stdout: "pipe",
    stderr: "pipe",
    timeout: STEP_TIMEOUT,
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const count = countOf(report, exitCode);
  rmSync(folder, { recursive: true });
  return {
    count,
    output: (stdout + stderr).trimEnd(),
    seconds: (performance.now() - startedAt) / 1000,
    cpu: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000,
  };
}
