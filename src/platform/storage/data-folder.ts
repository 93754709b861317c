/** The data folder: its files, and how its database is verified, opened and upgraded. */
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSecretBox } from "../secrets/key-file.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import { StartupError } from "../startup-error.ts";
import { VERSION } from "../version.ts";
import { keepCopy } from "./backup.ts";
import { createDatabase, recoverJournal, removeUnfinished } from "./create.ts";
import { databaseError } from "./database-error.ts";
import { lockFolder } from "./lock.ts";
import { migrateDatabase } from "./migrate.ts";
import { closeDatabase, type Db, openDatabase } from "./open.ts";
import { type SchemaVersion, schemaVersion } from "./version.ts";

export interface DataFolder {
  path: string;
  database: string;
  key: string;
  uploads: string;
  backups: string;
}

export interface OpenFolder {
  db: Db;
  box: SecretBox;
}

export function dataFolder(path: string): DataFolder {
  return {
    path,
    database: join(path, "muster.db"),
    key: join(path, "secret.key"),
    uploads: join(path, "uploads"),
    backups: join(path, "backups"),
  };
}

export function makeDataFolder({ path }: DataFolder): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Runs `work` and turns a database error into a StartupError of one line. */
export function explainDatabaseError<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = databaseError(error);
    if (reason === null) throw error;
    throw new StartupError(`${file}: ${reason}`);
  }
}

/**
 * Opens a database read-only for `inspect`.
 * @throws StartupError when it is damaged, not a Muster database, or has a schema this version does not know
 */
export function readDatabaseFile<T>(
  file: string,
  migrations: string,
  inspect: (client: Database, version: SchemaVersion) => T,
): T {
  return explainDatabaseError(file, () => {
    const client = new Database(file, { readonly: true, strict: true });
    try {
      client.run("PRAGMA busy_timeout = 5000");
      const version = schemaVersion(client, migrations);
      if (version === "foreign") throw new StartupError(`${file} is no database of Muster`);
      if (version === "unreleased")
        throw new StartupError(
          `${file} was made by a build of Muster from before the first release, which ${VERSION} does not open: ` +
            "with that build run muster export --secrets, then start this one with an empty data folder and run muster import",
        );
      if (version === "newer")
        throw new StartupError(`${file} was made by a newer Muster than this one, ${VERSION}: use that one`);
      return inspect(client, version);
    } finally {
      client.close();
    }
  });
}

/**
 * Prevents a lost database from being replaced by an empty one.
 * @throws StartupError when the folder has no database but the remains of one
 */
function refuseLostDatabase({ database, key }: DataFolder): void {
  const lost = [key, `${database}-wal`].find((file) => existsSync(file));
  if (lost !== undefined)
    throw new StartupError(
      `${database} is missing or empty, but ${lost} is there: put the database back (see muster restore --help), ` +
        `or remove ${lost} to begin anew`,
    );
}

/**
 * Opens the database for the service. Creates it if missing; otherwise migrates it to this version's schema
 * after copying it to `backups`. The caller holds the folder's lock.
 * @param onUpgrade receives the path of the copy
 * @throws StartupError, with nothing changed, when the database is damaged, too new or lost, or its key is
 *   missing
 */
export function openForService(
  folder: DataFolder,
  migrations: string,
  onUpgrade: (copy: string) => void,
): OpenFolder {
  const { database, key } = folder;
  return explainDatabaseError(database, () => {
    removeUnfinished(database);
    const isMissing = !existsSync(database);
    if (!isMissing) recoverJournal(database);
    if (isMissing || readDatabaseFile(database, migrations, (_client, found) => found === "empty")) {
      refuseLostDatabase(folder);
      createDatabase(database, migrations);
    }
    const { box, version } = readDatabaseFile(database, migrations, (client, version) => ({
      box: openSecretBox(key, client, true),
      version,
    }));
    const db = openDatabase(database);
    try {
      if (version === "older") onUpgrade(keepCopy(db.$client, folder.backups, "before-upgrade", new Date()));
      migrateDatabase(db, migrations);
      return { db, box };
    } catch (error) {
      db.$client.close();
      throw error;
    }
  });
}

/**
 * Opens an existing database for a command.
 * @param exclusive whether the caller holds the folder's lock; otherwise a server may be running
 * @throws StartupError when there is no database or its schema is of another version
 */
export function openForCommand(folder: DataFolder, migrations: string, exclusive = false): OpenFolder {
  if (!existsSync(folder.database))
    throw new StartupError(`there is no database in ${folder.path}: see --data; muster serve makes one`);
  if (exclusive) recoverJournal(folder.database);
  const box = readDatabaseFile(folder.database, migrations, (client, version) => {
    if (version !== "current")
      throw new StartupError(
        `${folder.database} is from an earlier version: muster serve brings it up to date`,
      );
    return openSecretBox(folder.key, client, exclusive);
  });
  const db = openDatabase(folder.database);
  db.$client.run("PRAGMA foreign_keys = ON");
  return { db, box };
}

/** Opens the database for a command and closes it afterwards. @throws StartupError as `openForCommand` does */
export function withDatabase<T>(folder: DataFolder, migrations: string, work: (open: OpenFolder) => T): T {
  const open = openForCommand(folder, migrations);
  try {
    return explainDatabaseError(folder.database, () => work(open));
  } finally {
    // No checkpoint: it would block a running server. The last connection to close makes it.
    open.db.$client.close();
  }
}

/** Like `withDatabase`, for a database whose key is lost. Takes the folder's lock. */
export function withoutKey<T>(folder: DataFolder, migrations: string, work: (db: Db) => T): T {
  if (!existsSync(folder.database))
    throw new StartupError(`there is no database in ${folder.path}: see --data`);
  const lock = lockFolder(folder.path);
  try {
    readDatabaseFile(folder.database, migrations, (_client, version) => {
      if (version !== "current")
        throw new StartupError(`${folder.database} is from an earlier version of Muster`);
    });
    const db = openDatabase(folder.database);
    try {
      return explainDatabaseError(folder.database, () => work(db));
    } finally {
      closeDatabase(db);
    }
  } finally {
    lock.release();
  }
}

/** Like `withDatabase`, but takes the folder's lock, so it fails while a server runs on the folder. */
export function withLockedDatabase<T>(
  folder: DataFolder,
  migrations: string,
  work: (open: OpenFolder) => T,
): T {
  if (!existsSync(folder.path)) throw new StartupError(`there is no data folder ${folder.path}: see --data`);
  const lock = lockFolder(folder.path);
  try {
    const open = openForCommand(folder, migrations, true);
    try {
      return explainDatabaseError(folder.database, () => work(open));
    } finally {
      closeDatabase(open.db);
    }
  } finally {
    lock.release();
  }
}
