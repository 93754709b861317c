/** How `make test` counts: real runs of `bun test` on small files, by what the runner reports of them. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTests, sum } from "../../scripts/test-count.ts";
import { temporaryFolder } from "../e2e/support.ts";

/** Runs files with these tests, as `make test` runs those of the project. @returns what is counted */
function counted(...files: string[]) {
  using folder = temporaryFolder();
  for (const [i, tests] of files.entries())
    writeFileSync(join(folder.path, `${i}.test.ts`), `import { expect, test } from "bun:test";\n${tests}\n`);
  const report = join(folder.path, "report.xml");
  const { exitCode } = Bun.spawnSync(
    [process.execPath, "test", "--only-failures", "--reporter=junit", `--reporter-outfile=${report}`],
    { cwd: folder.path, stdout: "ignore", stderr: "ignore" },
  );
  return countTests(existsSync(report) ? readFileSync(report, "utf8") : "", exitCode);
}

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
