/** Restores a stored backup into a data folder. */
import { createWriteStream, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { makePrivateFolder, writePrivately } from "../../platform/files/durable-file.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { DataFolder } from "../../platform/storage/data-folder.ts";
import { restoreDatabase, restoringTo } from "../../platform/storage/restore.ts";
import { readArchive } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { createdOf } from "./names.ts";
import type { BackupStore } from "./store.ts";
import { UnfinishedBackups } from "./unfinished-backups.ts";

/**
 * The newest backup of a store up to a time.
 * @param until unix seconds; null: the newest of all
 * @throws StartupError when there is none
 */
export async function newestIn(store: BackupStore, until: number | null): Promise<string> {
  const fits = ({ name }: { name: string }) => until === null || (createdOf(name) ?? 0) <= until;
  const newest = (await store.list()).filter(fits).at(-1);
  if (newest) return newest.name;
  throw new StartupError(
    `${store.description} has no backup${until === null ? "" : " of that time or before"}`,
  );
}

/** Puts the key of a backup beside the database, unless it is there. @returns whether it was put there @throws StartupError */
function placeKey(folder: DataFolder, key: Uint8Array | null): boolean {
  if (!key) return false;
  const text = Buffer.from(key).toString("utf8");
  if (!existsSync(folder.key)) {
    writePrivately(folder.key, text);
    return true;
  }
  if (readFileSync(folder.key, "utf8").trim() !== text.trim())
    throw new StartupError(`${folder.key} is not the key of the backup: move it away first`);
  return false;
}

/** Refuses a backup that has the name of another one: an old one could otherwise pass for the newest. */
function refuseOtherName(name: string | null, { created }: Manifest): void {
  if (name === null || createdOf(name) === created) return;
  const made = new Date(created * 1000).toISOString();
  throw new StartupError(`${name} was renamed: it was made at ${made}`);
}

export interface RestoreOptions {
  /** What the archive is called in errors. */
  source: string;
  /** The name under which its place has the archive; null for a file, which may have any. */
  name: string | null;
  /** Private keys for an encrypted archive. */
  identities: readonly string[];
  /** Whether an existing database may be replaced. */
  force: boolean;
}

/**
 * Restores an archive: unpacks it in the data folder, verifies it, and replaces the database in one step. The folder is
 * locked from before the archive is fetched, which may take hours.
 * @param fetch writes the archive to a path
 * @returns as `restoreDatabase` does, and whether secret.key was in the archive and is new
 * @throws StartupError with nothing changed
 */
export function restoreArchive(
  folder: DataFolder,
  fetch: (path: string) => Promise<void>,
  { source, name, identities, force }: RestoreOptions,
) {
  return restoringTo(folder, force, async () => {
    const files = new UnfinishedBackups(folder.path);
    const scratch = files.restoring;
    rmSync(scratch, { recursive: true, force: true });
    files.make();
    // With the owner of the data folder: if root is interrupted here, the service has to remove it before its next backup.
    makePrivateFolder(scratch);
    let isKeyNew = false;
    try {
      const archive = join(scratch, "archive");
      await fetch(archive);
      const { manifest, database, key } = await readArchive(archive, scratch, identities, source);
      refuseOtherName(name, manifest);
      rmSync(archive);
      isKeyNew = placeKey(folder, key);
      return { ...restoreDatabase(folder, database, source), isKeyNew };
    } catch (error) {
      if (isKeyNew) rmSync(folder.key, { force: true });
      throw error;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
      files.removeIfEmpty();
    }
  });
}

/** Fetches a backup from its store to a file. */
export async function fetchTo(store: BackupStore, name: string, path: string): Promise<void> {
  await pipeline(store.read(name), createWriteStream(path, { mode: 0o600 }));
}
