import { Database } from "bun:sqlite";
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { shareOwner } from "../files/durable-file.ts";
import { StartupError } from "../startup-error.ts";
import { codeOf, reasonOf } from "../text.ts";
import { databaseError } from "./database-error.ts";
import type { DataFolder } from "./folder.ts";

/** The folder in which a database really is, if a link leads to another one. */
function folderBehindLink(database: string): string | null {
  try {
    const real = dirname(realpathSync(database));
    return real === realpathSync(dirname(resolve(database))) ? null : real;
  } catch {
    // There is no database yet.
    return null;
  }
}

/** @throws StartupError when another process holds the lock or the folder is not writable */
function lockFile(folder: string): Database {
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
    if (codeOf(error) === "SQLITE_BUSY")
      throw new StartupError(`another Muster is running on the data folder ${folder}`);
    const reason = databaseError(error) ?? reasonOf(error);
    throw new StartupError(`the data folder ${folder} cannot be used: ${path}: ${reason}`);
  }
}

/**
 * Locks the data folder for this process until the result is closed, with an operating system lock on `muster.lock`,
 * taken through SQLite. A crash leaves nothing to clean up, and no process ids are involved, which containers share.
 * If the database is a link to another folder, that folder is locked too, since other data folders may have such a
 * link.
 * @throws StartupError when another process holds a lock or a folder is not writable
 */
export function lockFolder({ path, database }: Pick<DataFolder, "path" | "database">): { close(): void } {
  const lock = lockFile(path);
  const behind = folderBehindLink(database);
  if (behind === null) return lock;
  try {
    const second = lockFile(behind);
    return {
      close: () => {
        second.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}
