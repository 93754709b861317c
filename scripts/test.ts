/**
 * Every check and test there is, one after the other: `make test`. Says little while all is well, everything about what
 * failed, and ends with one line that counts it all. Exit code 1 when anything failed.
 */
import { join, relative } from "node:path";
import { type Count, countTests, sum } from "./test-count.ts";
import { provideTools } from "./test-tools.ts";

const ROOT = join(import.meta.dir, "..");
const BUN = process.execPath;
/** A step that takes longer hangs, milliseconds; it is ended and counts as failed. */
const STEP_TIMEOUT = 300_000;

interface Step {
  name: string;
  command: string[];
  /** How to read the numbers from its output; a command without them is one test. */
  count?: (output: string, exitCode: number) => Count;
}

const tool = (name: string) => [BUN, "--bun", `node_modules/.bin/${name}`];
const asOne = (_output: string, exitCode: number): Count => ({
  passed: Number(exitCode === 0),
  failed: Number(exitCode !== 0),
});

const testFiles = [...new Bun.Glob("test/**/*.test.{ts,tsx}").scanSync(ROOT)].sort();
const endToEnd = testFiles.filter((file) => file.startsWith("test/e2e/"));
/** Time decides nothing: a test that hangs is ended after this many milliseconds, on a machine however slow. */
const TEST_TIMEOUT = 120_000;
const bunTest = [BUN, "test", "--no-orphans", "--only-failures", `--timeout=${TEST_TIMEOUT}`];

const steps: Step[] = [
  { name: "types", command: [...tool("tsc"), "-p", "."] },
  { name: "lint and format", command: [...tool("biome"), "check", "."] },
  { name: "migrations", command: [BUN, "scripts/check-migrations.ts"] },
  {
    name: "unit and integration tests",
    command: [...bunTest, "--path-ignore-patterns=**/e2e/**"],
    count: countTests,
  },
  // One at a time: they start servers, agents and browsers, which would starve each other.
  ...endToEnd.map((file) => ({
    name: relative("test", file),
    command: [...bunTest, `./${file}`],
    count: countTests,
  })),
];

async function run({ name, command, count = asOne }: Step): Promise<Count> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1" },
    stdout: "pipe",
    stderr: "pipe",
    timeout: STEP_TIMEOUT,
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const output = stdout + stderr;
  const result = count(output, exitCode);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${name.padEnd(28)} ${result.failed === 0 ? `${result.passed} passed` : "FAILED"}, ${seconds} s`,
  );
  if (result.failed > 0) console.log(output.trimEnd());
  return result;
}

const results: Count[] = [];
const tools = await provideTools();
if (tools.problem !== null) console.log(tools.problem);
results.push({ passed: 0, failed: tools.problem === null ? 0 : 1 });
for (const step of steps) results.push(await run(step));

const total = sum(results);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
