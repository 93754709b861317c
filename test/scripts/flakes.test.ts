/** `make flakes`, on small test files that fail in one of their runs. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { unitsOf } from "../../scripts/flake-units.ts";
import { temporaryFolder } from "../e2e/support.ts";

const ROOT = join(import.meta.dir, "../..");
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const pathOf = (name: string) => join(folder.path, name);
const write = (name: string, text: string) =>
  writeFileSync(pathOf(name), `import { expect, test } from "bun:test";\n${text}\n`);

/** A file whose test appends a line to `counter`, and fails when that is the line of this number. */
function failsInRun(number: number, counter: string): string {
  const file = JSON.stringify(pathOf(counter));
  return `
    import { appendFileSync, readFileSync } from "node:fs";
    test("counts", () => {
      appendFileSync(${file}, "a line\\n");
      expect(readFileSync(${file}, "utf8").split("\\n").length - 1).not.toBe(${number});
    });`;
}

const runsOf = (counter: string) => readFileSync(pathOf(counter), "utf8").trim().split("\n").length;

function flakes(options: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, join(ROOT, "scripts/flakes.ts")], {
    env: {
      ...process.env,
      TESTS: relative(ROOT, folder.path),
      WHERE: "",
      RUNS: "2",
      REST: "1",
      LOG: pathOf("log"),
      ...options,
    },
  });
  // How long each round took differs.
  const output = `${stdout}`.replaceAll(/, \d+ s$/gm, "");
  return { exitCode, output, error: `${stderr}` };
}

test("a test that fails in one of its runs is listed with the order of that run, and is not tried again", () => {
  write("sleeps.test.ts", `${failsInRun(3, "sleeps")}\nawait Bun.sleep(1);`);
  write("counts.test.ts", failsInRun(0, "counts"));
  const { exitCode, output } = flakes();
  expect(exitCode).toBe(1);
  expect([runsOf("sleeps"), runsOf("counts")]).toEqual([6, 3]);
  expect(output).toMatch(
    /FAILED in 1 of its runs: \S+sleeps\.test\.ts\nbeside four busy loops, run 1\n {2}env SEED=\d+ taskset /,
  );
  expect(output).toMatch(/ --randomize --seed=\d+\n {2}\(fail\) counts/);
  expect(output.trim().split("\n").slice(-3)).toEqual([
    "one core: runs 3, failed 0",
    "two quiet cores: runs 3, failed 0",
    "beside four busy loops: runs 3, failed 1",
  ]);
});

test("a restarted run continues where it was, and remembers failures", () => {
  write("counts.test.ts", failsInRun(1, "counts"));
  expect(flakes({ WHERE: "one core" }).exitCode).toBe(1);
  expect(runsOf("counts")).toBe(1);
  const { exitCode, output } = flakes({ REST: "2" });
  expect(runsOf("counts")).toBe(6);
  expect(exitCode).toBe(1);
  expect(output).toContain("FAILED in 1 of its runs: all other tests\none core, run 1\n");
  const log = readFileSync(pathOf("log"), "utf8");
  expect(flakes({ REST: "2" })).toEqual({ exitCode: 1, output, error: "" });
  expect(readFileSync(pathOf("log"), "utf8")).toBe(log);
});

test("tests that tell a story keep their order", () => {
  const parts = [1, 2, 3, 4, 5, 6].map(
    (part) => `test("part ${part}", () => expect(++parts).toBe(${part}));`,
  );
  write(
    "story.test.ts",
    `// One story, in this order.\nlet parts = 0;\nawait Bun.sleep(1);\n${parts.join("\n")}`,
  );
  write("sleeps.test.ts", 'test("sleeps", () => Bun.sleep(1));');
  const isStory = unitsOf(relative(ROOT, folder.path), 1, 1).map((unit) => [
    unit.step.name.split("/").at(-1),
    unit.isStory,
  ]);
  expect(isStory).toEqual([
    ["sleeps.test.ts", false],
    ["story.test.ts", true],
  ]);
  expect(flakes({ WHERE: "one core" }).exitCode).toBe(0);
});

test("nothing is listed when nothing fails, and what cannot be understood is refused", () => {
  write("adds.test.ts", 'test("adds", () => expect(1 + 1).toBe(2));');
  expect(flakes()).toMatchObject({ exitCode: 0, output: expect.not.stringContaining("FAILED") });
  for (const [name, value] of Object.entries({
    RUNS: "often",
    REST: "-1",
    WHERE: "the moon",
    TESTS: "nowhere",
  }))
    expect(flakes({ [name]: value, LOG: pathOf("other") })).toMatchObject({
      exitCode: 1,
      output: "",
      error: expect.stringMatching(new RegExp(`^${name} must be `)),
    });
  expect(existsSync(pathOf("other"))).toBe(false);
});

test("files that use sockets, processes, threads or the time of the machine are told by what they import", () => {
  const stepOf = new Map(
    unitsOf("test", 20, 5).flatMap(({ step, runs }) =>
      step.command.filter((word) => word.endsWith(".test.ts")).map((file) => [relative(ROOT, file), runs]),
    ),
  );
  for (const file of [
    "e2e/stop",
    "alerting/channels/email",
    "monit/large-messages",
    "platform/background/background",
  ])
    expect([file, stepOf.get(`test/${file}.test.ts`)]).toEqual([file, 20]);
  for (const file of ["monitoring/hosts/hosts", "web/text/format", "security/scope"])
    expect([file, stepOf.get(`test/${file}.test.ts`)]).toEqual([file, 5]);
});
