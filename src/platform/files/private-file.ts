/** Files that hold a password or a key: only their owner may read them. */
import { existsSync, statSync } from "node:fs";
import { StartupError } from "../startup-error.ts";
import { readNamed } from "./named-file.ts";

/** Permission bits that a secret file must not have. A file of root may be readable by its group. */
const OTHERS = 0o077;
const OTHERS_OF_ROOT = 0o037;

/** Whether the permissions are too open for a secret. @param mode permission bits @param uid of the owner */
export function isExposed(mode: number, uid: number): boolean {
  return (mode & (uid === 0 ? OTHERS_OF_ROOT : OTHERS)) !== 0;
}

/** Why a file must not be trusted with a secret, by libpq's rule; null if it may be. @throws if there is no file */
export function exposureOf(path: string): string | null {
  const status = statSync(path);
  // Pipes, such as those that a shell passes, can be read only once. Windows has no such bits.
  if (process.platform === "win32" || !status.isFile()) return null;
  return isExposed(status.mode, status.uid) ? `${path} can be read by others; run: chmod 600 ${path}` : null;
}

/** Reads a file that holds a secret. @throws StartupError when it cannot be read, or others can read it */
export function readPrivately(path: string): string {
  const exposure = existsSync(path) ? exposureOf(path) : null;
  if (exposure !== null) throw new StartupError(exposure);
  return readNamed(path).toString("utf8");
}
