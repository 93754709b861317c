/** Backups of the database: each is one plain SQLite file, complete, verified, with its checksum. */
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { putInPlace, shareOwner } from "../files/durable-file.ts";
import { removingIfKilled } from "../files/leftover-guard.ts";
import { StartupError } from "../startup-error.ts";
import { reasonOf } from "../text.ts";
import { addChecksum } from "./checksum.ts";
import { databaseError } from "./database-error.ts";

/**
 * Problems that SQLite finds in the file; empty when it is sound.
 * @param what most problems to report, or the name of the one table to check
 * @param check quick_check does not compare indexes with their tables
 */
export function damage(
  client: Database,
  what: number | string = 20,
  check: "integrity_check" | "quick_check" = "integrity_check",
): string[] {
  try {
    const rows = client.query(`PRAGMA ${check}(${what})`).all() as Record<string, string>[];
    return rows.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
  } catch (error) {
    // Some damage makes the check itself fail.
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CORRUPT")) return [error.message];
    throw error;
  }
}

/**
 * Writes a copy of the database as of this moment, even while others write to it, and verifies it. The file
 * appears under its name only when complete. Nothing is left of it otherwise, not even by a killed process.
 * @throws StartupError when the file already exists or cannot be written
 */
export function copyDatabase(client: Database, file: string): void {
  if (existsSync(file)) throw new StartupError(`${file} exists already; nothing was written`);
  const partial = `${file}.partial`;
  removingIfKilled([partial, `${partial}-journal`], () => copyThrough(partial, client, file));
}

function copyThrough(partial: string, client: Database, file: string): void {
  try {
    // Created empty first so that SQLite keeps this mode.
    writeFileSync(partial, "", { mode: 0o600 });
    client.query("VACUUM INTO ?").run(partial);
    const copy = new Database(partial, { readonly: true });
    const found = damage(copy, 1);
    copy.close();
    if (found.length > 0) throw new StartupError(`the copy is damaged (${found[0]}): see muster doctor`);
    addChecksum(partial);
    shareOwner(partial);
    putInPlace(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    if (error instanceof StartupError) throw error;
    const reason = databaseError(error) ?? reasonOf(error);
    throw new StartupError(`${file} cannot be written: ${reason}`);
  }
}

/** Copies kept per kind in the data folder. */
const KEPT = 5;

/** `20261121T140307Z`: sorts by time. */
function stampOf(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d+/g, "");
}

/** A path for a copy within `backups`. The folder is created if missing. */
export function keptPath(backups: string, kind: string, now: Date): string {
  mkdirSync(backups, { recursive: true, mode: 0o700 });
  shareOwner(backups);
  return join(backups, `${kind}-${stampOf(now)}.db`);
}

/** Deletes all but the newest five copies of a kind. */
export function pruneKept(backups: string, kind: string): void {
  const copies = readdirSync(backups)
    .filter((name) => name.startsWith(`${kind}-`) && name.endsWith(".db"))
    .sort();
  // The copy of a damaged database has a log beside it.
  for (const name of copies.slice(0, -KEPT))
    for (const ending of ["", "-wal", "-shm"]) rmSync(join(backups, name + ending), { force: true });
}

/** Copies the database into `backups`, which keeps five of a kind. @returns the copy's path */
export function keepCopy(client: Database, backups: string, kind: string, now: Date): string {
  const file = keptPath(backups, kind, now);
  copyDatabase(client, file);
  pruneKept(backups, kind);
  return file;
}
