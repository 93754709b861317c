/** Files that are whole or not there at all, also after a power cut. */
import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a folder durable. Windows does so by itself. */
export function syncFolder(path: string): void {
  if (process.platform !== "win32") sync(path, "r");
}

/** Moves a finished file to where it belongs, in one step, replacing what is there. */
export function putInPlace(from: string, to: string): void {
  sync(from, "r+");
  renameSync(from, to);
  syncFolder(dirname(to));
}
