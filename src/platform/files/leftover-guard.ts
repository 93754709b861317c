/**
 * Removes unfinished files even if the process is killed: a second process waits for it to end. The work can be a
 * single call that takes minutes, during which no signal is handled.
 */
import { resolve } from "node:path";
import type { FileSink } from "bun";

/**
 * Runs in the second process, which survives signals to the first one's process group. Its input ends with the first
 * process.
 */
const SCRIPT = `
const { rmSync } = require("node:fs");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => {});
for await (const _ of process.stdin);
for (const path of process.argv.slice(1)) rmSync(path, { force: true });
`;

function startGuard(paths: readonly string[]): Bun.Subprocess<"pipe", "ignore", "ignore"> | null {
  try {
    // BUN_BE_BUN turns a compiled executable into the runtime that it contains. That runs in "/", so that no
    // configuration file of the current folder applies to it.
    return Bun.spawn([process.execPath, "-e", SCRIPT, ...paths.map((path) => resolve(path))], {
      cwd: "/",
      env: { BUN_BE_BUN: "1" },
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
  } catch {
    // The files are written anyway. The next process replaces what a killed one leaves behind.
    return null;
  }
}

/** Runs `work`, which must not await. If the process is killed during it, the files at `paths` are removed. */
export function removingIfKilled<T>(paths: readonly string[], work: () => T): T {
  const guard = startGuard(paths);
  // Without a reference, the garbage collector would close the input.
  const input: FileSink | undefined = guard?.stdin;
  try {
    return work();
  } finally {
    // It is killed before its input ends. Otherwise it could remove a later file of that name.
    guard?.kill("SIGKILL");
    input?.unref();
  }
}
