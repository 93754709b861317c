import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BRIEF_PROCESS } from "./brief-process.ts";
import { type Count, countOne, countTests } from "./test-count.ts";
import { TEST_LIMIT } from "./test-limit.ts";
import { type Program, TOOLS_PATH } from "./test-tools.ts";

export const ROOT = join(import.meta.dir, "..");
export const BUN = process.execPath;
/** Milliseconds after which a step is aborted and counts as failed: like `TEST_LIMIT`, a guard against hanging. */
const STEP_TIMEOUT = 3_600_000;

/** A command of a test run. */
export interface Step {
  name: string;
  command: string[];
  /** Whether the command is `bun test`, whose tests are counted. Any other command counts as one test. */
  reports: boolean;
  /** If this program does not run here, the tests are listed instead of run. */
  needs?: Program;
  /** Whether it calculates most of its time, and should do so while others wait for something. */
  yields?: boolean;
}

/** Lets a command have a third of the processor time that another gets. */
const YIELDING = ["nice", "-n", "5"];

/** What a step printed, what its tests came to, and what it cost. */
export interface Outcome {
  count: Count;
  output: string;
  seconds: number;
  /** Seconds of processor time of the command and of all processes that it started and waited for. */
  cpu: number;
}

/** A step that runs `bun test`. @param args files, folders and options */
export function bunTest(name: string, ...args: string[]): Step {
  const quiet = ["--only-failures", `--timeout=${TEST_LIMIT}`];
  return { name, reports: true, command: [BUN, "test", ...quiet, ...args] };
}

/**
 * Makes `bun test` report the names of all tests without running any. The preload is left out: it needs the program.
 */
function onlyNames(command: readonly string[]): string[] {
  return [...command.filter((word) => !word.startsWith("--preload=")), "-t", "(?!)"];
}

interface Surroundings {
  /** A command that runs the command of the step, such as `taskset` with its options. */
  prefix?: readonly string[];
  /** Programs that do not run here. Tests that need them are skipped; otherwise they fail. */
  missing?: ReadonlySet<Program>;
}

/** Runs a step to its end, and counts its tests. It never rejects because a test failed. */
export async function runStep(step: Step, { prefix = [], missing }: Surroundings): Promise<Outcome> {
  const { needs, reports, yields } = step;
  const absent = needs !== undefined && missing?.has(needs) ? needs : undefined;
  const command = absent === undefined ? step.command : onlyNames(step.command);
  const folder = mkdtempSync(join(tmpdir(), "muster-test-report-"));
  const report = reports ? join(folder, "report.xml") : null;
  const reporter = report === null ? [] : ["--reporter=junit", `--reporter-outfile=${report}`];
  const startedAt = performance.now();
  const child = Bun.spawn([...(yields ? YIELDING : []), ...prefix, ...command, ...reporter], {
    cwd: ROOT,
    env: { ...process.env, ...BRIEF_PROCESS, NO_COLOR: "1", PATH: TOOLS_PATH },
    stdout: "pipe",
    stderr: "pipe",
    timeout: STEP_TIMEOUT,
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const text = report !== null && existsSync(report) ? readFileSync(report, "utf8") : "";
  const count = reports ? countTests(text, exitCode, missing, absent) : countOne(exitCode);
  rmSync(folder, { recursive: true });
  return {
    count,
    output: (stdout + stderr).trimEnd(),
    seconds: (performance.now() - startedAt) / 1000,
    cpu: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000,
  };
}
