/** The executable alone in a folder, run from an empty one. */
import { afterAll, beforeAll, expect } from "bun:test";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE, type RunOptions, run, temporaryFolder } from "./support.ts";

/**
 * Copies the executable into a new folder for the tests of a file.
 * @returns a function that makes an empty folder in which that copy runs
 */
export function executableAlone() {
  const home = temporaryFolder();
  const executable = join(home.path, "muster");
  beforeAll(() => {
    copyFileSync(EXECUTABLE, executable);
    chmodSync(executable, 0o755);
  });
  afterAll(home.remove);
  return () => {
    const folder = temporaryFolder();
    return { ...folder, cwd: folder.path, executable };
  };
}

/** A command that is refused in one line, which contains each of `parts`. */
export async function expectRefusal(args: string[], options: RunOptions, ...parts: string[]) {
  const { code, stdout, stderr } = await run(args, options);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^muster: [^\n]+\n$/);
  for (const part of parts) expect(stderr).toContain(part);
}
