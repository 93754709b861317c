/** How `make test` counts: real runs of `bun test` on small files, by what the runner reports of them. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTests, failuresIn, sum } from "../../scripts/test-count.ts";
import { temporaryFolder } from "../e2e/support.ts";

/** Runs files with these tests, as `make test` runs those of the project. */
function run(...files: string[]) {
  using folder = temporaryFolder();
  for (const [i, tests] of files.entries())
    writeFileSync(join(folder.path, `${i}.test.ts`), `import { expect, test } from "bun:test";\n${tests}\n`);
  const report = join(folder.path, "report.xml");
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, "test", "--only-failures", "--reporter=junit", `--reporter-outfile=${report}`],
    { cwd: folder.path, env: { ...process.env, NO_COLOR: "1" } },
  );
  const count = countTests(existsSync(report) ? readFileSync(report, "utf8") : "", exitCode);
  return { count, output: `${stdout}${stderr}` };
}
const counted = (...files: string[]) => run(...files).count;

const PASSES = 'test("passes", () => {});';
const FAILS = 'test("fails", () => expect(1).toBe(2));';

test("each test of a run is counted, whatever it prints", () => {
  expect(counted(PASSES, `${PASSES} console.log(" 50 fail");`)).toEqual({ passed: 2, failed: 0 });
  expect(counted(PASSES, `${PASSES} ${FAILS}`)).toEqual({ passed: 2, failed: 1 });
});

test("a test that was not run is no success", () => {
  expect(counted(`${PASSES} test.skip("a", () => {}); test.todo("b");`)).toEqual({ passed: 1, failed: 2 });
});

test("a run that broke off, ran nothing, or failed outside of its tests is a failure", () => {
  expect(counted(`${PASSES} test("crashes", () => process.kill(process.pid, "SIGSEGV"));`)).toEqual({
    passed: 0,
    failed: 1,
  });
  expect(counted(PASSES, 'throw new Error("cannot be loaded");')).toEqual({ passed: 1, failed: 1 });
  expect(counted("")).toEqual({ passed: 0, failed: 1 });
  expect(countTests("<testsuites", 0)).toEqual({ passed: 0, failed: 1 });
});

test("counts add up", () => {
  expect(sum([{ passed: 1, failed: 0 }, { passed: 2, failed: 3 }, sum([])])).toEqual({
    passed: 3,
    failed: 3,
  });
});

test("what failed is named again with the beginning of its error, or the end of the output", () => {
  const long =
    'test("long", () => expect({}).toEqual(Object.fromEntries(Array(50).keys().map((i) => [i, i]))));';
  const { output } = run(`${PASSES} ${FAILS}`, long);
  const failures = failuresIn(output)
    .replaceAll(/ \[[\d.]+ms\]| at .*/g, "")
    .split("\n");
  expect(failures.slice(0, 4)).toEqual([
    "(fail) fails",
    "error: expect(received).toBe(expected)",
    "Expected: 2",
    "Received: 1",
  ]);
  expect(failures).toContain("(fail) long");
  const patience = run(
    'test("waits", () => { throw new (class TimeoutError extends Error { name = "TimeoutError"; })("for long"); });',
  );
  expect(failuresIn(patience.output)).toContain("TimeoutError: for long");
  expect(failures.length).toBeLessThan(30);
  expect(failuresIn(`${"a line\n".repeat(100)}the last line\n`).split("\n")).toEqual([
    ...Array(19).fill("a line"),
    "the last line",
  ]);
});
