import { readFileSync } from "node:fs";
import { StartupError } from "../startup-error.ts";
import { fileReason } from "./file-reason.ts";

/** Reads a file that a user named. @throws StartupError with its path, which the system's error lacks for a folder */
export function readNamed(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartupError(`${path} cannot be read: ${fileReason(error)}`);
  }
}

/** Reads a text that a user named, without a byte order mark. @throws StartupError, also for another encoding than UTF-8 */
export function readText(path: string): string {
  const bytes = readNamed(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new StartupError(`${path} is not a text in UTF-8: save it in this encoding first`);
  }
}
