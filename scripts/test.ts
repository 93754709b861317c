/**
 * Runs every check and test: `make test`. Prints full output only of failures, names them again at its end, and ends
 * with one line of totals. Exit code 1 if anything failed.
 * Tests that need a program which does not run here are skipped, and the end of the output says how to run them. With
 * REQUIRE_ALL_TESTS=1 they fail instead.
 */
import { basename, relative } from "node:path";
import { type Count, failuresIn, sum, totalLine } from "./test-count.ts";
import { BUN, bunTest, ROOT, runStep, type Step } from "./test-run.ts";
import { ON_POSTGRES, onPostgres } from "./test-steps.ts";
import { commandFor, type Program, provideTools } from "./test-tools.ts";

const check = (name: string, ...command: string[]): Step => ({ name, command, reports: false, yields: true });
const tool = (name: string) => [BUN, "--bun", `node_modules/.bin/${name}`];
const endToEnd = [...new Bun.Glob("test/e2e/**/*.test.ts").scanSync(ROOT)].sort();

/**
 * One checker, since several look at many types more than once. GOGC turns the collector off, which costs a seventh of the
 * time and frees little.
 */
const types = ["env", "GOGC=off", ...tool("tsc"), "-p", ".", "--checkers", "1"];
const checks = [
  check("types", ...types),
  check("lint and format", ...tool("biome"), "check", "."),
  check("direction of imports", ...tool("depcruise"), "--config", ".dependency-cruiser.cjs", "src", "web"),
  check("unused code", ...tool("knip"), "--no-progress"),
  check("tables of docs/api.md", BUN, "scripts/api-docs.ts", "--check"),
  check("migrations", BUN, "scripts/check-migrations.ts"),
  check("migrations of PostgreSQL", BUN, "scripts/postgres-migration.ts", "--check"),
];
// Two processes keep both cores busy. Without isolation, modules are loaded once for all files.
const units = ["--parallel=2", "--no-isolate", "--path-ignore-patterns=**/e2e/**"];
const inProcess = { ...bunTest("unit and integration tests", ...units), yields: true };
/** Tests of pages share a browser in each of two processes, which wait in turns. */
const inBrowser = endToEnd.filter((file) => /\/(?:browser|ui-[^/]*)\.test\.ts$/.test(file));
/** How many times as long as another of these files the longest take. */
const PAGE_WEIGHTS: Readonly<Record<string, number>> = {
  "ui-screens": 9,
  "ui-moment": 3,
  "ui-charts": 2,
  browser: 2,
};
const weightOf = (file: string) => PAGE_WEIGHTS[basename(file, ".test.ts")] ?? 1;
const halves = [1, 2].map((number) => ({ number, weight: 0, files: [] as string[] }));
// The longest first, each to the half that has less to do.
for (const file of inBrowser.sort((a, b) => weightOf(b) - weightOf(a))) {
  const [half] = halves.toSorted((a, b) => a.weight - b.weight);
  half?.files.push(`./${file}`);
  if (half) half.weight += weightOf(file);
}
const pages = halves.map(({ number, files }) =>
  bunTest(`pages in a browser, ${number} of 2`, "--preload=./test/e2e/browser-preload.ts", ...files),
);
/** Files that take long, mostly waiting, longest first, so that only short ones are left for the end. */
const LONG = [
  "cluster",
  "rehearsal",
  "backups",
  "ansible",
  "postgres",
  "alerts",
  "agent",
  "enrolment",
  "first-start",
  "full-disk",
  "agent-restarts",
  "agent-actions",
];
const rank = (file: string) => {
  const place = LONG.indexOf(basename(file, ".test.ts"));
  return place === -1 ? LONG.length : place;
};
const alone = endToEnd.filter((file) => !inBrowser.includes(file)).sort((a, b) => rank(a) - rank(b));
const ofFile = (file: string) => bunTest(relative("test", file), `./${file}`);

const [longest, ...others] = alone.map(ofFile);
/**
 * In the order in which they start. Those that take long start first, and mostly wait. Those that calculate yield to
 * them, and keep both processors busy to the end.
 */
const steps = [
  ...pages,
  ...(longest ? [longest] : []),
  inProcess,
  ...checks,
  { ...onPostgres(...ON_POSTGRES), yields: true },
  ...others,
];
/** Steps side by side: more than there are cores, as they wait for servers, agents and pages most of their time. */
const AT_ONCE = 5;

/** Printed before the totals, for those who read only the end of a log. */
const failures: string[] = [];
const notRun: string[] = [];

const missing = await provideTools();
const excused: ReadonlySet<Program> = new Set(process.env.REQUIRE_ALL_TESTS ? [] : missing.keys());

async function run(step: Step): Promise<Count> {
  const { count, output, seconds, cpu } = await runStep(step, { missing: excused });
  const result =
    count.failed === 0
      ? `${count.passed} passed${count.skipped > 0 ? `, ${count.skipped} skipped` : ""}`
      : "FAILED";
  console.log(
    `${step.name.padEnd(28)} ${result}, ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of processors`,
  );
  if (count.skipped > 0) notRun.push(`${step.name} (${count.skipped})`);
  if (count.failed > 0) {
    console.log(output);
    failures.push(`FAILED: ${step.name}`, failuresIn(output));
  }
  return count;
}

const results: Count[] = [];
const waiting = steps.values();
const runOneByOne = async () => {
  for (const step of waiting) results.push(await run(step));
};
await Promise.all(Array.from({ length: AT_ONCE }, runOneByOne));

for (const failure of failures) console.log(failure);
for (const fault of missing.values()) console.log(fault);
if (notRun.length > 0) console.log(`not run: ${notRun.join(", ")}`);
if (missing.size > 0) console.log(`to run every test: ${commandFor([...missing.keys()])}`);
const total = sum(results);
console.log(totalLine(total));
process.exit(total.failed === 0 ? 0 : 1);
