import { readFileSync } from "node:fs";
import { StartupError } from "../startup-error.ts";
import { reasonOf } from "../text.ts";

/** Reads a file that someone named. @throws StartupError with its name: the system's error has none if it is a folder */
export function readNamed(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartupError(`${path} cannot be read: ${reasonOf(error)}`);
  }
}
