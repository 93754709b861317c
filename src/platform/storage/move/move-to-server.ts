/** Moves a database file to a PostgreSQL server. */
import type { Database } from "bun:sqlite";
import { openSecretBox } from "../../secrets/key-file.ts";
import { sealedSample } from "../../secrets/sealed-sample.repository.ts";
import { StartupError } from "../../startup-error.ts";
import { closing } from "../closing.ts";
import { recoverJournal } from "../create.ts";
import { isThere, readDatabaseFile, refuseUnlessCurrent } from "../data-folder.ts";
import { assertEmpty, explained, openServer } from "../database-server.postgres.ts";
import type { DataFolder } from "../folder.ts";
import { assertNoneDangling } from "../foreign-key-check.ts";
import { lockFolder } from "../lock.ts";
import { type Db, transaction } from "../open.ts";
import { migratePostgres } from "../open-postgres.ts";
import type { PostgresOptions } from "../postgres/options.ts";
import { copyRows, type MovedRows, type MoveProgress, progressOf, verifyRows } from "./copy.ts";
import { serverTarget, withoutIndexes } from "./rows.postgres.ts";
import { quotedList } from "./rows.repository.ts";
import { fileSource } from "./rows.sqlite.ts";
import { movedTables } from "./tables.ts";

/** Fills the target in one transaction, so that a move that fails, or is killed, does not change it. */
function fill(target: Db, migrations: string, client: Database, report: (progress: MoveProgress) => void) {
  return transaction(target, () => {
    migratePostgres(target, migrations);
    const [source, tables] = [fileSource(client), movedTables()];
    const step = progressOf(source.client, tables, report);
    const side = serverTarget(target.$client);
    const sums = withoutIndexes(side.client, () => copyRows(source, side, tables, step));
    const moved = verifyRows(source, side, sums, step);
    // Without statistics, the first queries would be planned badly. Only Muster's tables are named: the server would
    // warn about each of its own, and a warning before the commit is taken to mean that the commit is not safe.
    target.$client.run(`analyze ${quotedList(tables.map(({ name }) => name))}`);
    return moved;
  });
}

/** Reads one state of the file, even if another command writes to it. */
function moveFrom(
  client: Database,
  folder: DataFolder,
  options: PostgresOptions,
  report: (progress: MoveProgress) => void,
): MovedRows[] {
  if (sealedSample(client) === null)
    throw new StartupError(`${folder.database} was never set up: there is nothing to move`);
  openSecretBox(folder.key, client, true);
  // The server would refuse them, and name only the first table.
  assertNoneDangling(client, folder.database);
  return explained(options, () =>
    closing(openServer(options), ({ db }) => {
      assertEmpty(db, options);
      return client.transaction(() => fill(db, folder.migrations, client, report)).deferred();
    }),
  );
}

/**
 * Copies the database of a data folder to an empty one on a server, and compares every table. The folder does not
 * change.
 * @throws StartupError, with the target as empty as before, when the folder is in use or has another key, when rows in
 * it refer to missing ones, when the target is not empty, or when the copy differs in the end
 */
export function moveToServer(
  folder: DataFolder,
  options: PostgresOptions,
  report: (progress: MoveProgress) => void,
): MovedRows[] {
  if (!isThere(folder.database)) throw new StartupError(`there is no database in ${folder.path}: see --data`);
  return closing(lockFolder(folder), () => {
    recoverJournal(folder.database);
    return readDatabaseFile(folder.database, folder.migrations, (client, version) => {
      refuseUnlessCurrent(folder, version);
      return moveFrom(client, folder, options, report);
    });
  });
}
