import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Index of `env_start` in /proc/self/stat, counted from the field after the program's name. */
const ENV_START_FIELD = 47;

/** Overwrites the values in the memory exposed to processes of the same user as /proc/PID/environ. */
function overwriteInitial(names: readonly string[]): void {
  const environment = readFileSync("/proc/self/environ");
  const start = Number(
    readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)?.split(" ")[ENV_START_FIELD],
  );
  if (!(start > 0)) return;
  const memory = openSync("/proc/self/mem", "r+");
  try {
    for (const name of names) {
      // Every variable except the first follows the NUL that ends the previous one.
      const index = environment.indexOf(`\0${name}=`);
      const isFirst = environment.indexOf(`${name}=`) === 0;
      if (index === -1 && !isFirst) continue;
      const value = (isFirst ? 0 : index + 1) + Buffer.byteLength(name) + 1;
      const length = environment.indexOf(0, value) - value;
      if (length > 0) writeSync(memory, Buffer.alloc(length), 0, length, start + value);
    }
  } finally {
    closeSync(memory);
  }
}

/**
 * Removes variables from the process environment and, on Linux, from /proc/PID/environ. Earlier copies, such
 * as those of a supervisor, remain.
 */
export function forgetVariables(env: Record<string, string | undefined>, names: readonly string[]): void {
  const present = names.filter((name) => env[name] !== undefined);
  for (const name of present) delete env[name];
  if (present.length === 0 || process.platform !== "linux") return;
  try {
    overwriteInitial(present);
  } catch {
    // Hardened systems forbid the write. Child processes still do not inherit the variables.
  }
}
