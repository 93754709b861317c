import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { putInPlace, shareOwner, syncFolder } from "../files/durable-file.ts";
import { assertKeyOf } from "../secrets/key-file.ts";
import { StartupError } from "../startup-error.ts";
import { reasonOf } from "../text.ts";
import { copyDatabase, damage, keptPath, pruneKept, removePartial } from "./backup.ts";
import { verifyChecksum } from "./checksum.ts";
import { removeBeside, removeDatabase, removeUnfinished, restoring } from "./create.ts";
import { type DataFolder, makeDataFolder, readDatabaseFile } from "./data-folder.ts";
import { databaseError, isDamage } from "./database-error.ts";
import { lockFolder } from "./lock.ts";
import { closeDatabase, openDatabase } from "./open.ts";
import type { SchemaVersion } from "./schema-version.ts";

const KIND = "before-restore";

/** Writes a readable log into its file. @throws StartupError on a disk error: the log must then stay */
function finishLog(file: string): void {
  try {
    const client = new Database(file, { readwrite: true });
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    client.close();
  } catch (error) {
    if (isDamage(error)) return;
    throw new StartupError(`${file}: ${databaseError(error) ?? reasonOf(error)}`);
  }
}

/** Copies a file so that the target is complete or absent. */
function copyWhole(from: string, to: string): void {
  const partial = `${to}.partial`;
  try {
    copyFileSync(from, partial);
    shareOwner(partial);
    putInPlace(partial, to);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Copies the database to `backups` unchanged, with its log if it is damaged. @returns the copy's path */
function keepPresent(folder: DataFolder): string {
  const { database, backups } = folder;
  const keptCopy = keptPath(backups, KIND, new Date());
  removePartial(backups, KIND);
  finishLog(database);
  copyWhole(database, keptCopy);
  const log = `${database}-wal`;
  if (existsSync(log) && statSync(log).size > 0) copyWhole(log, `${keptCopy}-wal`);
  // Beside another database, the log would be applied to that one.
  removeBeside(database);
  syncFolder(dirname(database));
  pruneKept(backups, KIND, keptCopy);
  return keptCopy;
}

/** Verifies a backup completely and copies it. @returns whether it carries a checksum @throws StartupError */
function prepare(folder: DataFolder, file: string, source: string, incoming: string): boolean {
  const verify = (client: Database, version: SchemaVersion) => {
    if (version === "empty") throw new StartupError(`${source} is empty`);
    const checksum = verifyChecksum(file);
    if (checksum === "wrong")
      throw new StartupError(`${source} is damaged or was changed: its content does not match its checksum`);
    const [first] = damage(client, 1);
    if (first !== undefined) throw new StartupError(`${source} is damaged: ${first}`);
    assertKeyOf(folder.key, client, source);
    removeDatabase(incoming);
    copyDatabase(client, incoming);
    return checksum === "right";
  };
  const isVerified = readDatabaseFile(file, folder.migrations, verify, source);
  // Opened once so that the first start finds the file in WAL mode.
  closeDatabase(openDatabase(incoming));
  return isVerified;
}

/** Where the replaced database is kept, null when there was none; and whether the backup's checksum was compared. */
interface Restored {
  keptCopy: string | null;
  isVerified: boolean;
}

/** Runs `restore` while no other process has the folder. @throws StartupError for a database that must not be replaced */
export async function restoringTo<T>(
  folder: DataFolder,
  force: boolean,
  restore: () => T | Promise<T>,
): Promise<T> {
  makeDataFolder(folder);
  const lock = lockFolder(folder);
  try {
    if (existsSync(folder.database) && !force)
      throw new StartupError(
        `${folder.database} exists; with --force it is replaced, and kept in ${folder.backups}`,
      );
    return await restore();
  } finally {
    lock.close();
  }
}

/**
 * Restores a backup after complete verification. The replacement is atomic. Call it within `restoringTo`.
 * @param source what the backup is called in errors
 * @throws StartupError with nothing changed
 */
export function restoreDatabase(folder: DataFolder, file: string, source = file): Restored {
  const isReplaced = existsSync(folder.database);
  // A link in the data folder stays, and leads to the restored database then.
  const database = isReplaced ? realpathSync(folder.database) : folder.database;
  const incoming = restoring(database);
  try {
    const isVerified = prepare(folder, file, source, incoming);
    const keptCopy = isReplaced ? keepPresent({ ...folder, database }) : null;
    if (!isReplaced) removeDatabase(database);
    shareOwner(incoming);
    putInPlace(incoming, database);
    return { keptCopy, isVerified };
  } finally {
    removeUnfinished(database);
  }
}
