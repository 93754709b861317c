import { Database } from "bun:sqlite";
import { join } from "node:path";
import { shareOwner } from "../files/durable-file.ts";
import { StartupError } from "../startup-error.ts";
import { databaseError } from "./database-error.ts";

/**
 * Locks the data folder for this process, until what is returned is closed: with an operating system lock on
 * `muster.lock`, taken through SQLite. A crash leaves nothing to clean up, and no process ids are involved,
 * which containers share.
 * @throws StartupError when another process holds the lock or the folder is not writable
 */
export function lockFolder(folder: string): Database {
  const path = join(folder, "muster.lock");
  let client: Database | null = null;
  try {
    client = new Database(path, { create: true });
    shareOwner(path);
    client.run("PRAGMA busy_timeout = 0");
    // Nothing is ever written to the file, so a crash leaves nothing to roll back.
    client.run("PRAGMA journal_mode = MEMORY");
    client.run("BEGIN EXCLUSIVE");
    return client;
  } catch (error) {
    client?.close();
    const reason = databaseError(error);
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY")
      throw new StartupError(`another Muster is running on the data folder ${folder}`);
    throw new StartupError(`the data folder ${folder} cannot be used: ${path}: ${reason ?? String(error)}`);
  }
}
