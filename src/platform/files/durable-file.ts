/** Writes files that are complete or absent even after a power failure. */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Syncs a folder so that its entries are durable. Windows needs no such step. */
export function syncFolder(path: string): void {
  if (process.platform !== "win32") sync(path, "r");
}

/** Atomically renames a finished file to its final path, replacing any file there. */
export function putInPlace(from: string, to: string): void {
  sync(from, "r+");
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Writes a file with the owner of its folder. Replaces any file or link there, and does not follow the link. */
function replaceFile(path: string, text: string, mode: number): void {
  const partial = `${path}.partial`;
  rmSync(partial, { force: true });
  try {
    writeFileSync(partial, text, { mode, flag: "wx" });
    // Whatever the umask is.
    chmodSync(partial, mode);
    shareOwner(partial);
    putInPlace(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Writes a file that only its owner can read, with the owner of its folder. Replaces any file there. */
export const writePrivately = (path: string, text: string) => replaceFile(path, text, 0o600);

/** Writes a file that everyone can read, with the owner of its folder. Replaces any file or link there. */
export const writePublicly = (path: string, text: string) => replaceFile(path, text, 0o644);

/** Makes a folder that only its owner can enter, with the owner of the folder around it. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  shareOwner(path);
}

/** Gives a file created by root the owner of its folder: root often runs commands, rarely the service. */
export function shareOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  const file = statSync(path);
  if (file.uid !== uid || file.gid !== gid) chownSync(path, uid, gid);
}
