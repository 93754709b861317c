/** How `make test` counts: real runs of `bun test` on small files, by what the runner reports of them. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTests, failuresIn, sum, totalLine } from "../../scripts/test-count.ts";
import { temporaryFolder } from "../e2e/support.ts";

/** Runs files with these tests, as `make test` runs those of the project. */
function run(...files: string[]) {
  using folder = temporaryFolder();
  for (const [i, tests] of files.entries())
    writeFileSync(
      join(folder.path, `${i}.test.ts`),
      `import { describe, expect, test } from "bun:test";\n${tests}\n`,
    );
  const path = join(folder.path, "report.xml");
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, "test", "--only-failures", "--reporter=junit", `--reporter-outfile=${path}`],
    { cwd: folder.path, env: { ...process.env, NO_COLOR: "1" } },
  );
  const written = existsSync(path) ? readFileSync(path, "utf8") : "";
  return { report: written, count: countTests(written, exitCode), output: `${stdout}${stderr}` };
}
const counted = (...files: string[]) => run(...files).count;

const PASSES = 'test("passes", () => {});';
const FAILS = 'test("fails", () => expect(1).toBe(2));';

test("each test of a run is counted, whatever it prints", () => {
  expect(counted(PASSES, `${PASSES} console.log(" 50 fail");`)).toEqual({ passed: 2, failed: 0, skipped: 0 });
  expect(counted(PASSES, `${PASSES} ${FAILS}`)).toEqual({ passed: 2, failed: 1, skipped: 0 });
});

test("a test that was not run is no success", () => {
  expect(counted(`${PASSES} test.skip("a", () => {}); test.todo("b");`)).toEqual({
    passed: 1,
    failed: 2,
    skipped: 0,
  });
});

test("a test is skipped only where every program that it names is missing", () => {
  const { report } = run(`
    test.skip("a [needs monit]", () => {});
    describe("in a group", () => test.skip.each([1, 2])("b %d [needs chromium] [needs monit]", () => {}));
    test.skip("c", () => {});`);
  const count = (exitCode: number, ...missing: string[]) => countTests(report, exitCode, new Set(missing));
  expect(count(0, "chromium", "monit")).toEqual({ passed: 0, failed: 1, skipped: 3 });
  expect(count(0, "monit")).toEqual({ passed: 0, failed: 3, skipped: 1 });
  expect(count(0)).toEqual({ passed: 0, failed: 4, skipped: 0 });
  expect(countTests(report, 1, new Set(["postgres"]), "postgres")).toEqual({
    passed: 0,
    failed: 0,
    skipped: 4,
  });
  expect(countTests(run('test.skip("a [needs monit]", () => {});').report, 0, new Set(["monit"]))).toEqual({
    passed: 0,
    failed: 0,
    skipped: 1,
  });
});

test("a test that needs a program is skipped where it is missing, with its hooks, and where it is only a stub", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "one.test.ts");
  writeFileSync(
    file,
    `import { needing } from "${join(import.meta.dir, "../support/programs.ts")}";
    const { beforeAll, test } = needing("monit");
    beforeAll(() => console.log("the hook ran"));
    test("one", () => {});
    test.each([[2]])("%d", () => {});`,
  );
  const stub = join(folder.path, "monit");
  const outputWith = (script: string) => {
    writeFileSync(stub, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { ...process.env, NO_COLOR: "1", PATH: `${folder.path}:${process.env.PATH}` };
    const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, "test", file], {
      cwd: folder.path,
      env,
    });
    return { exitCode, output: `${stdout}${stderr}` };
  };
  const skipped = outputWith("echo it is elsewhere; exit 1");
  expect(skipped.exitCode).toBe(0);
  for (const name of ["one", "2"]) expect(skipped.output).toContain(`(skip) ${name} [needs monit]`);
  expect(skipped.output).not.toContain("the hook ran");
  const ran = outputWith("echo Monit 1");
  expect(ran.exitCode).toBe(0);
  for (const name of ["one", "2"]) expect(ran.output).toContain(`(pass) ${name}`);
  expect(ran.output).toContain("the hook ran");
});

test("an aborted run, an empty one, and one that failed outside of its tests count as failed", () => {
  expect(counted(`${PASSES} test("crashes", () => process.kill(process.pid, "SIGSEGV"));`)).toEqual({
    passed: 0,
    failed: 1,
    skipped: 0,
  });
  expect(counted(PASSES, 'throw new Error("cannot be loaded");')).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
  expect(counted("")).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countTests("<testsuites", 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("counts add up, and their line names skipped tests only where there are any", () => {
  const counts = [{ passed: 1, failed: 0, skipped: 0 }, { passed: 2, failed: 3, skipped: 4 }, sum([])];
  expect(sum(counts)).toEqual({ passed: 3, failed: 3, skipped: 4 });
  expect(totalLine(sum(counts))).toBe("3 passed, 3 failed, 4 skipped");
  expect(totalLine({ passed: 9, failed: 0, skipped: 0 })).toBe("9 passed, 0 failed");
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
