/** Upgrades a database file: copies it, and then changes its schema. */
import type { Database } from "bun:sqlite";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, writePrivately } from "../files/durable-file.ts";
import { StartupError } from "../startup-error.ts";
import { reasonOf } from "../text.ts";
import { VERSION } from "../version.ts";
import { copyKept, keptPath } from "./backup.ts";
import { databaseError } from "./database-error.ts";
import type { DataFolder } from "./folder.ts";
import { describeFaults, type ForeignKeyFault } from "./foreign-key-check.ts";
import { type Db, sqliteClient } from "./open.ts";
import { migrateDatabase } from "./sqlite-migrations.ts";

const KIND = "before-upgrade";

/**
 * What an upgrade is about to do, which may take minutes. At its end, `dangling` reports rows that refer to missing
 * ones, as they did before.
 */
export type UpgradeStep =
  | { kind: "copy"; copy: string; bytes: number }
  | { kind: "migrate"; copy: string }
  | { kind: "dangling"; rows: string };

/**
 * Identifies the content of the file, which no other process changes: every write changes its times. Null while the log
 * has pages that are not in the file.
 */
function stateOf(client: Database, file: string): string | null {
  const [checkpoint] = client.query("PRAGMA wal_checkpoint(TRUNCATE)").values();
  if (checkpoint?.[0] !== 0) return null;
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}

/** The copy that an interrupted upgrade made of the database in this state; null without one. */
function copyOf(state: string, record: string): string | null {
  if (!existsSync(record)) return null;
  const [copy = "", stateThen] = readFileSync(record, "utf8").split("\n");
  return stateThen === state && existsSync(copy) ? copy : null;
}

/** Copies the database, unless there is a copy of it in its present state. @returns the copy's path */
function keepBefore(db: Db, { database, backups }: DataFolder, record: string, report: Report): string {
  const client = sqliteClient(db);
  const state = stateOf(client, database);
  const present = state === null ? null : copyOf(state, record);
  if (present !== null) return present;
  const copy = keptPath(backups, KIND, new Date());
  report({ kind: "copy", copy, bytes: statSync(database).size });
  // Recorded first: the copy appears under its name only when it is complete.
  if (state !== null) writePrivately(record, `${copy}\n${state}\n`);
  copyKept(client, backups, KIND, copy);
  return copy;
}

type Report = (step: UpgradeStep) => void;

/**
 * Migrates a database of an earlier version to this version's schema, after copying it to `backups`. The caller holds the
 * folder's lock.
 * @throws StartupError with the database unchanged
 */
export function upgradeDatabase(db: Db, folder: DataFolder, report: Report): void {
  const { database, backups, migrations } = folder;
  const record = join(backups, `${KIND}.unfinished`);
  let copy: string | null = null;
  let dangling: ForeignKeyFault[];
  try {
    makePrivateFolder(backups);
    copy = keepBefore(db, folder, record, report);
    report({ kind: "migrate", copy });
    dangling = migrateDatabase(db, migrations);
  } catch (error) {
    const reason = databaseError(error) ?? reasonOf(error);
    const hint = copy === null ? "" : `, and ${copy} is a copy of it`;
    throw new StartupError(
      `${database} cannot be upgraded to version ${VERSION}: ${reason}. It is unchanged${hint}`,
    );
  }
  rmSync(record, { force: true });
  if (dangling.length > 0) report({ kind: "dangling", rows: describeFaults(dangling) });
}
