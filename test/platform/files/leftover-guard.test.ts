/** What a process that is killed in the midst of its work leaves of its files. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { eventually, neutralEnvironment, temporaryFolder } from "../../e2e/support.ts";

/** Writes two files at paths within its folder, and dies. */
const DIE = `
  import { writeFileSync } from "node:fs";
  import { removingIfKilled } from "${join(import.meta.dir, "../../../src/platform/files/leftover-guard.ts")}";
  for (const path of ["data/copy.partial", "data/other"]) writeFileSync(path, "");
  removingIfKilled(["data/copy.partial"], () => process.kill(process.pid, "SIGKILL"));`;

test("a file is removed after a kill, also if its path is relative, and others stay", async () => {
  using folder = temporaryFolder();
  const [partial, other] = [join(folder.path, "data/copy.partial"), join(folder.path, "data/other")];
  await Bun.write(partial, "");
  // By a variable of the tests' environment, the runtime would end the second process with the first.
  const env = neutralEnvironment(folder.path);
  const { signalCode } = Bun.spawnSync([process.execPath, "-e", DIE], { cwd: folder.path, env });
  expect(signalCode).toBe("SIGKILL");
  await eventually("the partial file is removed", () => !existsSync(partial));
  expect(existsSync(other)).toBe(true);
});
