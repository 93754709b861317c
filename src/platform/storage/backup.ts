/** Backups of the database: each is a single SQLite file, complete, verified, with its checksum. */
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { stampOf } from "../date-text.ts";
import { makePrivateFolder, putInPlace, shareOwner } from "../files/durable-file.ts";
import { removingIfKilled } from "../files/leftover-guard.ts";
import { StartupError } from "../startup-error.ts";
import { reasonOf } from "../text.ts";
import { addChecksum } from "./checksum.ts";
import { closing } from "./closing.ts";
import { databaseError, isDamage } from "./database-error.ts";
import { PAGE_BYTES } from "./open.ts";

/**
 * Problems that SQLite finds in the file; empty when it is sound.
 * @param argument the most problems to report, or the name of the only table to check
 * @param check quick_check does not compare indexes with their tables
 */
export function damage(
  client: Database,
  argument: number | string = 20,
  check: "integrity_check" | "quick_check" = "integrity_check",
): string[] {
  try {
    const rows = client.query(`PRAGMA ${check}(${argument})`).all() as Record<string, string>[];
    const lines = rows.flatMap((row) => Object.values(row)).flatMap((text) => text.split("\n"));
    return lines.filter((line) => line !== "ok" && !line.startsWith("*** in database "));
  } catch (error) {
    // Some damage makes the check itself fail.
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CORRUPT")) return [error.message];
    throw error;
  }
}

/**
 * Writes a copy of the database as of this moment, even while others write to it, and verifies it. The file appears
 * under its name only when complete. Otherwise nothing of it remains, even if the process is killed.
 * @param partial its name until then, which no other process uses
 * @throws StartupError when the file already exists or cannot be written
 */
export function copyDatabase(client: Database, file: string, partial = `${file}.partial`): void {
  refusePresent(file);
  removingIfKilled(filesOfPartial(partial), () => copyThrough(partial, client, file));
}

function refusePresent(file: string): void {
  if (existsSync(file)) throw new StartupError(`${file} exists already; nothing was written`);
}

/** An unfinished copy, and the journal that SQLite keeps beside it. */
const filesOfPartial = (partial: string) => [partial, `${partial}-journal`];

function copyThrough(partial: string, client: Database, file: string): void {
  try {
    // Created empty first so that SQLite keeps this mode.
    writeFileSync(partial, "", { mode: 0o600 });
    client.run(`PRAGMA page_size = ${PAGE_BYTES}`);
    client.query("VACUUM INTO ?").run(partial);
    const [problem] = closing(new Database(partial, { readonly: true }), (copy) => damage(copy, 1));
    if (problem !== undefined) throw damaged(client, problem);
    addChecksum(partial);
    shareOwner(partial);
    // Another process may have written it since the first check.
    refusePresent(file);
    putInPlace(partial, file);
  } catch (error) {
    for (const path of filesOfPartial(partial)) rmSync(path, { force: true });
    if (error instanceof StartupError) throw error;
    // The copy is new: it is the source that cannot be read.
    if (isDamage(error)) throw damaged(client, reasonOf(error));
    const reason = databaseError(error) ?? reasonOf(error);
    throw new StartupError(`${file} cannot be written: ${reason}`);
  }
}

function damaged(client: Database, problem: string): StartupError {
  return new StartupError(
    `${client.filename} is damaged (${problem}), so it cannot be copied: see muster doctor, and restore a backup`,
  );
}

/** Copies kept per kind in the data folder. */
const KEPT = 5;

/**
 * A path for a copy within `backups`: that of this second, or of the next one that has no copy yet. The folder is
 * created if missing.
 */
export function keptPath(backups: string, kind: string, now: Date): string {
  makePrivateFolder(backups);
  const file = join(backups, `${kind}-${stampOf(now)}.db`);
  return existsSync(file) ? keptPath(backups, kind, new Date(now.getTime() + 1000)) : file;
}

function copiesOf(backups: string, kind: string): string[] {
  return readdirSync(backups).filter((name) => name.startsWith(`${kind}-`));
}

/** Deletes unfinished copies of a kind that killed processes left behind. */
export function removePartial(backups: string, kind: string): void {
  for (const name of copiesOf(backups, kind))
    if (name.includes(".partial")) rmSync(join(backups, name), { force: true });
}

/**
 * Deletes all but five copies of a kind. It keeps the one just made, even if the clock was set back, and the newest
 * others.
 */
export function pruneKept(backups: string, kind: string, made: string): void {
  const others = copiesOf(backups, kind)
    .filter((name) => name.endsWith(".db") && name !== basename(made))
    .sort();
  // The copy of a damaged database has a log beside it.
  for (const name of others.slice(0, 1 - KEPT))
    for (const ending of ["", "-wal", "-shm"]) rmSync(join(backups, name + ending), { force: true });
}

/** Copies the database to a path of `keptPath`. Five copies of a kind are kept. */
export function copyKept(client: Database, backups: string, kind: string, file: string): void {
  removePartial(backups, kind);
  copyDatabase(client, file);
  pruneKept(backups, kind, file);
}

/** Copies the database into `backups`, which keeps five of a kind. @returns the copy's path */
export function keepCopy(client: Database, backups: string, kind: string, now: Date): string {
  const file = keptPath(backups, kind, now);
  copyKept(client, backups, kind, file);
  return file;
}
