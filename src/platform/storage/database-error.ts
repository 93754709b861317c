import { SQLiteError } from "bun:sqlite";

/** Matched by prefix: SQLite appends details to its codes, as in SQLITE_IOERR_WRITE. */
const REASONS: readonly (readonly [code: string, reason: string])[] = [
  ["SQLITE_FULL", "the disk is full"],
  ["SQLITE_IOERR", "the disk does not take or give what it should (is it full?)"],
  ["SQLITE_READONLY", "it cannot be written"],
  ["SQLITE_CANTOPEN", "it cannot be opened for writing"],
  ["SQLITE_PERM", "it cannot be opened for writing"],
  ["SQLITE_BUSY", "another program has locked it"],
  ["SQLITE_LOCKED", "another program has locked it"],
  ["SQLITE_NOTADB", "it is damaged, or no database at all"],
  ["SQLITE_CORRUPT", "it is damaged"],
];

/** The open database is no longer the file at its path. */
export class DatabaseFileLost extends Error {
  override name = "DatabaseFileLost";
}

/** The SQLite error wrapped in a query builder's error, if any. */
function sqliteError(error: unknown): SQLiteError | null {
  if (error instanceof SQLiteError) return error;
  return error instanceof Error && error.cause !== undefined ? sqliteError(error.cause) : null;
}

/** Why the database cannot be used, perhaps only for now; null when the error has another cause. */
export function databaseError(error: unknown): string | null {
  if (error instanceof DatabaseFileLost)
    return "its file was deleted or replaced while Muster runs: stop Muster, and put it back or restore a backup";
  const code = sqliteError(error)?.code;
  if (!code) return null;
  return REASONS.find(([start]) => code.startsWith(start))?.[1] ?? null;
}

/** Whether the error reports damage to part of the file; other parts may be sound. */
export function isDamage(error: unknown): boolean {
  const code = sqliteError(error)?.code ?? "";
  return code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB");
}
