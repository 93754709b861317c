import { Database } from "bun:sqlite";
import { join } from "node:path";
import { shareOwner } from "../files/ownership.ts";
import { StartupError } from "../startup-error.ts";
import { databaseError } from "./database-error.ts";

/** Holds a data folder until it is closed, or the process ends in whatever way. */
export interface FolderLock {
  release(): void;
}

/**
 * Takes the data folder for this process alone. It is a lock of the operating system on `muster.lock`, taken through
 * SQLite: nothing has to be cleaned up after a crash, and process ids, which containers share, play no part.
 * @throws StartupError when another process has it, or the folder cannot be written
 */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, "muster.lock");
  let client: Database | null = null;
  try {
    client = new Database(path, { create: true });
    shareOwner(path);
    client.run("PRAGMA busy_timeout = 0");
    // Nothing is ever written to it, so there is nothing to undo after a crash.
    client.run("PRAGMA journal_mode = MEMORY");
    client.run("BEGIN EXCLUSIVE");
  } catch (error) {
    client?.close();
    const trouble = databaseError(error);
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY")
      throw new StartupError(`another Muster is running on the data folder ${folder}`);
    throw new StartupError(`the data folder ${folder} cannot be used: ${path}: ${trouble ?? String(error)}`);
  }
  const held = client;
  return { release: () => held.close() };
}
