/**
 * Removes unfinished files even of a process that is killed: a second process waits for the end of this one. The work
 * itself may be one call that takes minutes, in which no signal is handled.
 */
import type { FileSink } from "bun";

/** Runs in the second process, which outlives signals to the group of the first. Its input ends with the first. */
const SCRIPT = `
const { rmSync } = require("node:fs");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => {});
for await (const _ of process.stdin);
for (const path of process.argv.slice(1)) rmSync(path, { force: true });
`;

function startGuard(paths: readonly string[]): Bun.Subprocess<"pipe", "ignore", "ignore"> | null {
  try {
    // With this variable, a compiled executable is the runtime that it contains. The folder must not configure it.
    return Bun.spawn([process.execPath, "-e", SCRIPT, ...paths], {
      cwd: "/",
      env: { BUN_BE_BUN: "1" },
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
  } catch {
    // The files are written all the same. What a killed process then leaves, the next one replaces.
    return null;
  }
}

/** Runs `work`, which must not await. If this process is killed meanwhile, the files at `paths` are removed. */
export function removingIfKilled<T>(paths: readonly string[], work: () => T): T {
  const guard = startGuard(paths);
  // An input that nobody refers to would be closed when it is collected.
  const input: FileSink | undefined = guard?.stdin;
  try {
    return work();
  } finally {
    // Ended without its input: it could otherwise remove a later file of that name.
    guard?.kill("SIGKILL");
    input?.unref();
  }
}
