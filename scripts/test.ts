/**
 * Runs every check and test: `make test`. Prints full output only of failures, names them again at its end, and ends
 * with one line of totals.
 * Exit code 1 if anything failed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type Count, countTests, failuresIn, sum } from "./test-count.ts";
import { provideTools, TOOLS_PATH } from "./test-tools.ts";

const ROOT = join(import.meta.dir, "..");
const BUN = process.execPath;
/**
 * Guards against hanging; not a performance requirement. Milliseconds after which a step, or a single test in it, is
 * aborted and counts as failed. No machine is that slow.
 */
const STEP_TIMEOUT = 1_800_000;
const TEST_TIMEOUT = 300_000;

interface Step {
  name: string;
  command: string[];
  /** Path of the report of `bun test`. A command without a report counts as one test. */
  report?: string;
}

const reports = mkdtempSync(join(tmpdir(), "muster-test-reports-"));

function bunTest(name: string, ...what: string[]): Step {
  const report = join(reports, `${name.replaceAll(/\W/g, "-")}.xml`);
  const quiet = ["--no-orphans", "--only-failures", `--timeout=${TEST_TIMEOUT}`];
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  return { name, report, command: [BUN, "test", ...quiet, ...reporter, ...what] };
}

const tool = (name: string) => [BUN, "--bun", `node_modules/.bin/${name}`];
const endToEnd = [...new Bun.Glob("test/e2e/**/*.test.ts").scanSync(ROOT)].sort();

/**
 * Tests that run on PostgreSQL as well. The others use what only SQLite has, such as a full disk by pragma, or
 * hold for both engines what these hold.
 */
const ON_POSTGRES = [
  "./test/accounts/tokens",
  "./test/accounts/users",
  "./test/alerting/notifications/api.test.ts",
  "./test/alerting/notifications/deliveries.test.ts",
  "./test/alerting/notifications/rules.test.ts",
  "./test/alerting/on-call/on-call.test.ts",
  "./test/monitoring/events/text-search.test.ts",
  "./test/monitoring/groups",
  "./test/monitoring/heartbeat/by-hand.test.ts",
  "./test/monitoring/heartbeat/lifecycle.test.ts",
  "./test/monitoring/heartbeat/outage.test.ts",
  "./test/monitoring/history/compare.test.ts",
  "./test/monitoring/history/latest.test.ts",
  "./test/monitoring/history/top.test.ts",
  "./test/monitoring/ingest/flushes.test.ts",
  "./test/monitoring/ingest/recoveries.test.ts",
  "./test/monitoring/limits/limit-end.test.ts",
  "./test/monitoring/limits/limits-api.test.ts",
  "./test/monitoring/limits/limits-ledger.test.ts",
  "./test/monitoring/search",
  "./test/monitoring/status",
  "./test/publishing/filters",
  "./test/publishing/views",
  "./test/security/levels.test.ts",
];

const checks: Step[] = [
  { name: "types", command: [...tool("tsc"), "-p", "."] },
  { name: "lint and format", command: [...tool("biome"), "check", "."] },
  {
    name: "direction of imports",
    command: [...tool("depcruise"), "--config", ".dependency-cruiser.cjs", "src", "web"],
  },
  { name: "unused code", command: [...tool("knip"), "--no-progress"] },
  { name: "tables of docs/api.md", command: [BUN, "scripts/api-docs.ts", "--check"] },
  { name: "migrations", command: [BUN, "scripts/check-migrations.ts"] },
  { name: "migrations of PostgreSQL", command: [BUN, "scripts/postgres-migration.ts", "--check"] },
];
// Two processes keep both cores busy. Without isolation, modules are loaded once for all files.
const units = ["--parallel=2", "--no-isolate", "--path-ignore-patterns=**/e2e/**"];
const inProcess = bunTest("unit and integration tests", ...units);
const onPostgres = bunTest(
  "tests on PostgreSQL",
  "--preload=./test/support/postgres-preload.ts",
  ...ON_POSTGRES,
);
const ofFile = (file: string) => bunTest(relative("test", file), `./${file}`);

/** What is run one after the other, and how many steps of each side by side. */
const phases: readonly { steps: Step[]; atOnce: number }[] = [
  { steps: checks, atOnce: 2 },
  // One more than there are cores, since most of their time is spent waiting for servers, agents and pages. The longest
  // come first.
  { steps: [inProcess, onPostgres, ...endToEnd.map(ofFile)], atOnce: 3 },
];

function countOf(report: string | undefined, exitCode: number): Count {
  if (report === undefined) return { passed: Number(exitCode === 0), failed: Number(exitCode !== 0) };
  return countTests(existsSync(report) ? readFileSync(report, "utf8") : "", exitCode);
}

/** Printed before the totals, where someone who reads only the end of a log finds it. */
const failures: string[] = [];

async function run({ name, command, report }: Step): Promise<Count> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
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
  const result = countOf(report, exitCode);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${name.padEnd(28)} ${result.failed === 0 ? `${result.passed} passed` : "FAILED"}, ${seconds} s`,
  );
  if (result.failed > 0) {
    const output = (stdout + stderr).trimEnd();
    console.log(output);
    failures.push(`FAILED: ${name}`, failuresIn(output));
  }
  return result;
}

const results: Count[] = [];
const { problem } = await provideTools();
if (problem !== null) console.log(problem);
results.push({ passed: 0, failed: problem === null ? 0 : 1 });
for (const { steps, atOnce } of phases) {
  const waiting = steps.values();
  const runOneByOne = async () => {
    for (const step of waiting) results.push(await run(step));
  };
  await Promise.all(Array.from({ length: atOnce }, runOneByOne));
}
rmSync(reports, { recursive: true });
if (problem !== null) console.log(problem);

for (const failure of failures) console.log(failure);
const total = sum(results);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
