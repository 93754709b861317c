/** Secrets that came in the environment do not stay there. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Fields of /proc/self/stat, counted from the one after the name of the program: where the environment begins. */
const ENV_START_FIELD = 47;

/** Overwrites the values in the memory that others with the rights of this process see as /proc/PID/environ. */
function overwriteInitial(names: readonly string[]): void {
  const environment = readFileSync("/proc/self/environ");
  const start = Number(
    readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)?.split(" ")[ENV_START_FIELD],
  );
  if (!(start > 0)) return;
  const memory = openSync("/proc/self/mem", "r+");
  try {
    for (const name of names) {
      // In front of each variable but the first one is the end of the one before.
      const found = environment.indexOf(`\0${name}=`);
      const isFirst = environment.indexOf(`${name}=`) === 0;
      if (found === -1 && !isFirst) continue;
      const value = (isFirst ? 0 : found + 1) + Buffer.byteLength(name) + 1;
      const length = environment.indexOf(0, value) - value;
      if (length > 0) writeSync(memory, Buffer.alloc(length), 0, length, start + value);
    }
  } finally {
    closeSync(memory);
  }
}

/**
 * Removes variables from the environment of this process, and on Linux from what the system shows of it. Copies that
 * were made before, as by a supervisor or in a shell's history, are out of reach.
 * @returns whether the system's own copy is gone too
 */
export function forgetVariables(env: Record<string, string | undefined>, names: readonly string[]): boolean {
  const given = names.filter((name) => env[name] !== undefined);
  for (const name of given) delete env[name];
  if (given.length === 0) return true;
  if (process.platform !== "linux") return false;
  try {
    overwriteInitial(given);
    return true;
  } catch {
    // Hardened systems forbid it: then only the environment that programs inherit is free of them.
    return false;
  }
}
