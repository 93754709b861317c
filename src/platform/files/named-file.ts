import { readFileSync } from "node:fs";
import { StartupError } from "../startup-error.ts";
import { reasonOf } from "../text.ts";

/** Reads a file that a user named. @throws StartupError with its path, which the system's error lacks for a folder */
export function readNamed(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartupError(`${path} cannot be read: ${reasonOf(error)}`);
  }
}
