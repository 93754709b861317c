/** Moves the database of a PostgreSQL server to a file. */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { putInPlace, shareOwner } from "../../files/durable-file.ts";
import { openSharedSecretBox } from "../../secrets/key-file.ts";
import { sealedSample } from "../../secrets/sealed-sample.repository.ts";
import { StartupError } from "../../startup-error.ts";
import { damage } from "../backup.ts";
import { closing } from "../closing.ts";
import { createDatabase, moving, removeUnfinished } from "../create.ts";
import { explainDatabaseError, isThere } from "../data-folder.ts";
import { withServerAlone } from "../database-server.postgres.ts";
import type { DataFolder } from "../folder.ts";
import { assertNoneDangling } from "../foreign-key-check.ts";
import { lockFolder } from "../lock.ts";
import { closeDatabase, type Db, openDatabase } from "../open.ts";
import type { PostgresOptions } from "../postgres/options.ts";
import { copyRows, type MovedRows, type MoveProgress, progressOf, verifyRows } from "./copy.ts";
import { serverSource } from "./rows.postgres.ts";
import { fileSource, fileTarget } from "./rows.sqlite.ts";
import { movedTables } from "./tables.ts";

/** Fills a file without rows. No one else uses it, and it is worthless until it is complete. */
function fill(
  file: string,
  source: Db,
  step: (table: string, rows: number) => void,
): ReturnType<typeof copyRows> {
  return closing(new Database(file, { readwrite: true, create: false, strict: true }), (client) => {
    client.run("PRAGMA journal_mode = OFF");
    client.run("PRAGMA synchronous = OFF");
    client.run("PRAGMA foreign_keys = OFF");
    return copyRows(serverSource(source.$client), fileTarget(client), movedTables(), step);
  });
}

function verify(
  file: string,
  source: Db,
  sums: ReturnType<typeof copyRows>,
  step: (table: string, rows: number) => void,
): MovedRows[] {
  return closing(new Database(file, { readonly: true, strict: true }), (client) => {
    const [first] = damage(client, 1);
    if (first !== undefined) throw new StartupError(`the copy is damaged: ${first}`);
    assertNoneDangling(client, "the copy");
    return verifyRows(serverSource(source.$client), fileSource(client), sums, step);
  });
}

/**
 * Copies one state of a server's database to a new file, and compares every table.
 * @throws StartupError when rows refer to missing ones, or when the copy differs in the end
 */
export function copyServerTo(
  file: string,
  source: Db,
  migrations: string,
  report: (progress: MoveProgress) => void,
): MovedRows[] {
  const copy = () => {
    createDatabase(file, migrations);
    const step = progressOf(source.$client, movedTables(), report);
    return verify(file, source, fill(file, source, step), step);
  };
  return source.$client.transaction(copy).deferred();
}

/** Copies the database while no node can become active on the server. */
function copyTo(
  file: string,
  options: PostgresOptions,
  folder: DataFolder,
  report: (progress: MoveProgress) => void,
): MovedRows[] {
  return withServerAlone(options, folder.migrations, (source) => {
    if (sealedSample(source.$client) === null)
      throw new StartupError("it was never set up: there is nothing to move");
    openSharedSecretBox(folder.key, source.$client, true);
    return copyServerTo(file, source, folder.migrations, report);
  });
}

/**
 * Copies the database of a server to a data folder without one, and compares every table. The server does not change.
 * @throws StartupError, without a database in the folder, when a node is active, when the folder has a database or
 * another key, when rows refer to missing ones, or when the copy differs in the end
 */
export function moveToFile(
  options: PostgresOptions,
  folder: DataFolder,
  report: (progress: MoveProgress) => void,
): MovedRows[] {
  if (!isThere(folder.path))
    throw new StartupError(`there is no data folder ${folder.path}: make it, and copy secret.key into it`);
  return closing(lockFolder(folder), () => {
    const present = [folder.database, `${folder.database}-wal`].find((path) => existsSync(path));
    if (present !== undefined)
      throw new StartupError(`${present} exists: the data folder must have no database`);
    try {
      removeUnfinished(folder.database);
      const file = moving(folder.database);
      const moved = explainDatabaseError(file, () => copyTo(file, options, folder, report));
      // Opened once so that the first start finds the file in WAL mode.
      closeDatabase(openDatabase(file));
      shareOwner(file);
      putInPlace(file, folder.database);
      return moved;
    } finally {
      removeUnfinished(folder.database);
    }
  });
}
