import { SQLiteError } from "bun:sqlite";
import { DatabaseAway, PostgresError } from "./postgres/postgres-error.ts";

/** Raised by muster_hold_lease (drizzle/postgres). */
const LEASE_LOST = "MU001";

/** Matched by prefix: SQLite appends details to its codes, as in SQLITE_IOERR_WRITE. */
const REASONS: readonly (readonly [code: string, reason: string])[] = [
  ["SQLITE_FULL", "the disk is full"],
  ["SQLITE_IOERR", "the disk failed to read or write (is it full?)"],
  ["SQLITE_READONLY", "it cannot be written"],
  ["SQLITE_CANTOPEN", "it cannot be opened for writing"],
  ["SQLITE_PERM", "it cannot be opened for writing"],
  ["SQLITE_BUSY", "another program has locked it"],
  ["SQLITE_LOCKED", "another program has locked it"],
  ["SQLITE_NOTADB", "it is damaged, or not a database at all"],
  ["SQLITE_CORRUPT", "it is damaged"],
  ["53100", "the disk of the database server is full"],
  ["53", "the database server lacks memory or connections"],
  ["58", "the database server reports a fault of its system"],
  ["57", "the database server is shutting down"],
  ["25006", "the database server accepts no writes: it is a standby"],
  ["25P03", "the database server ended an idle transaction"],
  ["55", "the database server is busy"],
  ["40", "another node changed the same rows"],
  [LEASE_LOST, "another node is active"],
  ["XX001", "it is damaged"],
  ["XX002", "it is damaged"],
];

/** The open database is no longer the file at its path. */
export class DatabaseFileLost extends Error {
  override name = "DatabaseFileLost";
}

/** The error of the engine that is wrapped in a query builder's error, if any. */
function engineError(error: unknown): SQLiteError | PostgresError | DatabaseAway | null {
  if (error instanceof SQLiteError || error instanceof PostgresError || error instanceof DatabaseAway)
    return error;
  return error instanceof Error && error.cause !== undefined ? engineError(error.cause) : null;
}

/** Why the database cannot be used, perhaps only for now; null when the error has another cause. */
export function databaseError(error: unknown): string | null {
  if (error instanceof DatabaseFileLost)
    return "its file was deleted or replaced while Muster was running: stop Muster, and put it back or restore a backup";
  const cause = engineError(error);
  if (cause instanceof DatabaseAway) return `the database server cannot be reached: ${cause.message}`;
  const code = cause?.code;
  if (!code) return null;
  return REASONS.find(([start]) => code.startsWith(start))?.[1] ?? null;
}

/** Whether the error reports damage to part of the file; other parts may be sound. */
export function isDamage(error: unknown): boolean {
  const code = engineError(error)?.code ?? "";
  return ["SQLITE_CORRUPT", "SQLITE_NOTADB", "XX001", "XX002"].some((start) => code.startsWith(start));
}
