/** The data folder: its files, and how its database is verified, opened and upgraded. */
import { Database } from "bun:sqlite";
import { existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { migrationsFolder } from "../assets.ts";
import { fileReason, reasonWithFile } from "../files/file-reason.ts";
import { openSecretBox, openSharedSecretBox } from "../secrets/key-file.ts";
import { type SealedTextReader, sealedSample } from "../secrets/sealed-sample.repository.ts";
import { StartupError } from "../startup-error.ts";
import { codeOf } from "../text.ts";
import { closing } from "./closing.ts";
import { createDatabase, recoverJournal, removeUnfinished } from "./create.ts";
import { databaseError } from "./database-error.ts";
import { withServer, withServerAlone } from "./database-server.postgres.ts";
import type { DataFolder, OpenFolder } from "./folder.ts";
import { lockFolder } from "./lock.ts";
import { closeDatabase, type Db, openDatabase } from "./open.ts";
import type { PostgresOptions } from "./postgres/options.ts";
import { refusalOf, type SchemaVersion, schemaVersion } from "./schema-version.ts";
import { type UpgradeStep, upgradeDatabase } from "./upgrade.ts";

export type { DataFolder, OpenFolder } from "./folder.ts";

/**
 * The paths of a data folder, which need not exist.
 * @param migrations path of the folder with the migrations
 * @param server with the database; null if that is a file in the folder
 */
export function dataFolder(
  path: string,
  migrations = migrationsFolder(),
  server: PostgresOptions | null = null,
): DataFolder {
  return {
    path,
    database: join(path, "muster.db"),
    key: join(path, "secret.key"),
    backups: join(path, "backups"),
    migrations,
    server,
  };
}

/**
 * Creates the folder if it is missing, and those above it, for its owner only. An existing one keeps its
 * mode. @throws StartupError
 */
export function makeDataFolder({ path }: DataFolder): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = codeOf(error) === "EEXIST" ? "it is no folder" : fileReason(error);
    throw new StartupError(`the data folder ${path} cannot be created: ${reason}`);
  }
}

/**
 * Whether a file or folder is there.
 * @throws StartupError when this user, who often does not own the data, may not look
 */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file where the folder should be, as when --data names the database itself.
    if (codeOf(error) === "ENOTDIR") return false;
    throw new StartupError(
      `${reasonWithFile(error)}: run the command as root, or as the user to whom the data folder belongs`,
    );
  }
}

/** Whether a link is there, wherever it leads. Nothing can be below a file. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return false;
    throw error;
  }
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
 * @param name what the file is called in errors
 * @throws StartupError unless it is sound and Muster's
 */
export function readDatabaseFile<T>(
  file: string,
  migrations: string,
  inspect: (client: Database, version: SchemaVersion) => T,
  name = file,
): T {
  const read = (client: Database) => {
    client.run("PRAGMA busy_timeout = 5000");
    const version = schemaVersion(client, migrations);
    if (version === "foreign") throw new StartupError(`${name} is not a database of Muster`);
    const refusal = refusalOf(version, "an empty data folder");
    if (refusal !== null) throw new StartupError(`${name} ${refusal}`);
    return inspect(client, version);
  };
  return explainDatabaseError(name, () =>
    closing(new Database(file, { readonly: true, strict: true }), read),
  );
}

/** Keeps a lost database from being replaced. @throws StartupError when its remains are there */
function refuseLostDatabase({ database, key }: DataFolder): void {
  const leftover = [key, `${database}-wal`].find((file) => existsSync(file));
  if (leftover !== undefined)
    throw new StartupError(
      `${database} is missing or empty, but ${leftover} is there: put the database back (see muster restore --help), ` +
        `or remove ${leftover} to start over`,
    );
}

/** Refuses a database for a command that needs its tables. @throws StartupError if it is empty or older */
export function refuseUnlessCurrent(folder: DataFolder, version: SchemaVersion): void {
  if (version === "empty") {
    refuseLostDatabase(folder);
    throw new StartupError(`${folder.database} was never set up: run muster serve first`);
  }
  if (version !== "current")
    throw new StartupError(
      `${folder.database} is from an earlier version: run muster serve first, which upgrades it`,
    );
}

/**
 * Refuses a file that cannot be written, such as one of another user: SQLite opens it for reading, without an error.
 * Nothing is written here, since the disk may be full.
 * @throws SQLiteError
 */
function refuseReadOnly({ $client }: Db): void {
  $client.run("update __drizzle_migrations set hash = hash where false");
}

/**
 * Opens the database for the service. Creates it if missing; otherwise migrates it to this version's schema
 * after copying it to `backups`. The caller holds the folder's lock.
 * @param onUpgrade called before each step of an upgrade, and with what it found
 * @throws StartupError, with nothing changed, when the database is damaged, too new or lost, or its key is
 *   missing
 */
export function openForService(folder: DataFolder, onUpgrade: (step: UpgradeStep) => void): OpenFolder {
  const { database, key, migrations } = folder;
  return explainDatabaseError(database, () => {
    removeUnfinished(database);
    const isMissing = !existsSync(database);
    if (!isMissing) recoverJournal(database);
    if (isMissing || readDatabaseFile(database, migrations, (_client, condition) => condition === "empty")) {
      refuseLostDatabase(folder);
      createDatabase(database, migrations);
    }
    const { box, version } = readDatabaseFile(database, migrations, (client, version) => ({
      box: openSecretBox(key, client, true),
      version,
    }));
    const db = openDatabase(database);
    try {
      refuseReadOnly(db);
      if (version === "older") upgradeDatabase(db, folder, onUpgrade);
      db.$client.run("PRAGMA foreign_keys = ON");
      return { db, box };
    } catch (error) {
      db.$client.close();
      throw error;
    }
  });
}

/** Opens an existing database of this version. @param exclusive whether the caller holds the lock */
function openExisting<T>(
  folder: DataFolder,
  exclusive: boolean,
  inspect: (client: Database) => T,
): { db: Db; inspected: T } {
  const { path, database, migrations } = folder;
  if (!isThere(database)) {
    if (isLink(database))
      throw new StartupError(`${database} is a link to a file that is not there: is its disk mounted?`);
    throw new StartupError(
      `there is no database in ${path}: see --data, and MUSTER_DATABASE if it is on a server; muster serve makes one`,
    );
  }
  if (exclusive) recoverJournal(database);
  const inspected = readDatabaseFile(database, migrations, (client, version) => {
    refuseUnlessCurrent(folder, version);
    return inspect(client);
  });
  const db = openDatabase(database);
  db.$client.run("PRAGMA foreign_keys = ON");
  return { db, inspected };
}

/**
 * Refuses a database whose first start did not complete. The next start completes it, unless a command has added a user
 * or a key before.
 * @throws StartupError
 */
function assertSetUp(client: SealedTextReader, name: string): void {
  if (sealedSample(client) === null)
    throw new StartupError(`${name} was never set up: run muster serve first`);
}

/** Opens an existing database for a command. @throws StartupError unless it is set up, and of this version */
export function openForCommand(folder: DataFolder, exclusive = false): OpenFolder {
  const { db, inspected: box } = openExisting(folder, exclusive, (client) => {
    assertSetUp(client, folder.database);
    return openSecretBox(folder.key, client, exclusive);
  });
  return { db, box };
}

/** The same for a database on a server. */
function openedOnServer(db: Db, key: string, exclusive: boolean): OpenFolder {
  assertSetUp(db.$client, "it");
  return { db, box: openSharedSecretBox(key, db.$client, exclusive) };
}

/** Opens the database for a command, and closes it. @throws StartupError as `openForCommand` does */
export function withDatabase<T>(folder: DataFolder, work: (open: OpenFolder) => T): T {
  const { server, migrations, key } = folder;
  if (server) return withServer(server, migrations, (db) => work(openedOnServer(db, key, false)));
  const open = openForCommand(folder);
  // No checkpoint: it would block a running server. The last connection to close makes it.
  return closing(open.db.$client, () => explainDatabaseError(folder.database, () => work(open)));
}

/** Runs `work` while no other process has the folder. */
function whileLocked<T>(folder: DataFolder, work: () => T): T {
  if (!isThere(folder.path)) throw new StartupError(`there is no data folder ${folder.path}: see --data`);
  return closing(lockFolder(folder), work);
}

function withFile<O extends { db: Db }, T>(folder: DataFolder, open: () => O, work: (opened: O) => T): T {
  const opened = open();
  return closing({ close: () => closeDatabase(opened.db) }, () =>
    explainDatabaseError(folder.database, () => work(opened)),
  );
}

/** Like `withDatabase`, but fails while a server runs on the database, and prevents any from starting. */
export function withLockedDatabase<T>(folder: DataFolder, work: (open: OpenFolder) => T): T {
  const { server, migrations, key } = folder;
  return whileLocked(folder, () =>
    server
      ? withServerAlone(server, migrations, (db) => work(openedOnServer(db, key, true)))
      : withFile(folder, () => openForCommand(folder, true), work),
  );
}

/** Like `withLockedDatabase`, for a database whose key is lost. */
export function withoutKey<T>(folder: DataFolder, work: (db: Db) => T): T {
  const { server, migrations } = folder;
  return whileLocked(folder, () =>
    server
      ? withServerAlone(server, migrations, work)
      : withFile(
          folder,
          () => openExisting(folder, true, () => null),
          ({ db }) => work(db),
        ),
  );
}
