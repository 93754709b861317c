import { and, desc, eq, gt, inArray, lt, ne } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { backups } from "../../platform/storage/schema.ts";

export type BackupRow = typeof backups.$inferSelect;

/** The most backups that are listed. */
const LISTED = 1000;

/** Backups and failed attempts, newest first by id: the clock may have been set back. */
export function newestBackups(db: Db): BackupRow[] {
  return db.select().from(backups).orderBy(desc(backups.id)).limit(LISTED).all();
}

/** The newest backup that is stored; undefined without one. */
export function newestStored(db: Db): BackupRow | undefined {
  return db.select().from(backups).where(ne(backups.state, "failed")).orderBy(desc(backups.id)).get();
}

/** The newest backup that was proven; undefined without one. */
export function newestProven(db: Db): BackupRow | undefined {
  return db.select().from(backups).where(eq(backups.state, "proven")).orderBy(desc(backups.id)).get();
}

/** The stored backups at a place, those that were made last first. */
export function storedAt(db: Db, place: string, limit = LISTED): BackupRow[] {
  return db
    .select()
    .from(backups)
    .where(and(eq(backups.place, place), ne(backups.state, "failed")))
    .orderBy(desc(backups.id))
    .limit(limit)
    .all();
}

/** The attempts at a place that failed after a backup was recorded, the newest first. */
export function failuresSince(db: Db, place: string, lastId: number): BackupRow[] {
  return db
    .select()
    .from(backups)
    .where(and(eq(backups.place, place), eq(backups.state, "failed"), gt(backups.id, lastId)))
    .orderBy(desc(backups.id))
    .limit(LISTED)
    .all();
}

/** Stores the outcome of an attempt, failed or not. Earlier records of the same backup stay. */
export function insertBackup(db: Db, row: typeof backups.$inferInsert): void {
  db.insert(backups).values(row).run();
}

/** Forgets backups that were removed from their place. */
export function forgetBackups(db: Db, place: string, names: readonly string[]): void {
  if (names.length > 0)
    db.delete(backups)
      .where(and(eq(backups.place, place), inArray(backups.name, [...names])))
      .run();
}

/** Forgets attempts that failed before a time. */
export function forgetFailures(db: Db, before: number): void {
  db.delete(backups)
    .where(and(eq(backups.state, "failed"), lt(backups.endedAt, before)))
    .run();
}
