import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { Refusal } from "../refusal.ts";
import { openSecretBox } from "../secrets/key-file.ts";
import { copyDatabase, damage, keptPath, pruneKept } from "./backup.ts";
import { type DataFolder, makeDataFolder, readDatabaseFile } from "./data-folder.ts";
import { putInPlace } from "./durable-file.ts";
import { lockFolder } from "./lock.ts";
import { shareOwner } from "./ownership.ts";
import { databaseTrouble } from "./trouble.ts";

const KIND = "before-restore";

/** Brings the log of the database back into its file; one that is damaged keeps it beside it. */
function finishLog(file: string, kept: string): void {
  try {
    const client = new Database(file, { readwrite: true });
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    client.close();
  } catch (error) {
    if (databaseTrouble(error) === null) throw error;
  }
  // Next to another database it would be taken for that one's.
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) renameSync(log, `${kept}-wal`);
  for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true });
}

/** A copy of the present database for the folder `backups`, as it is: it may be damaged. */
function keepPresent(folder: DataFolder): string {
  const kept = keptPath(folder.backups, KIND, new Date());
  finishLog(folder.database, kept);
  copyFileSync(folder.database, kept);
  shareOwner(kept);
  pruneKept(folder.backups, KIND);
  return kept;
}

/**
 * Puts the database of a backup in place, once it was checked in full. The change is one step: either database is there.
 * @param force whether a present database may be replaced
 * @returns where the replaced database is kept; null when there was none
 * @throws Refusal with nothing changed
 */
export function restoreDatabase(
  folder: DataFolder,
  file: string,
  migrations: string,
  force: boolean,
): { kept: string | null } {
  if (!existsSync(file)) throw new Refusal(`${file} is not there`);
  makeDataFolder(folder);
  const lock = lockFolder(folder.path);
  const incoming = `${folder.database}.restoring`;
  try {
    const isReplaced = existsSync(folder.database);
    if (isReplaced && !force)
      throw new Refusal(
        `${folder.database} exists; with --force it is replaced, and kept in ${folder.backups}`,
      );
    readDatabaseFile(file, migrations, (client, version) => {
      if (version === "empty") throw new Refusal(`${file} is empty`);
      const [first] = damage(client, 1);
      if (first !== undefined) throw new Refusal(`${file} is damaged: ${first}`);
      if (!existsSync(folder.key))
        throw new Refusal(`${folder.key} is missing: put the one that belongs to ${file} there first`);
      openSecretBox(folder.key, client, false);
      rmSync(incoming, { force: true });
      copyDatabase(client, incoming);
    });
    const kept = isReplaced ? keepPresent(folder) : null;
    shareOwner(incoming);
    putInPlace(incoming, folder.database);
    return { kept };
  } finally {
    rmSync(incoming, { force: true });
    lock.release();
  }
}
