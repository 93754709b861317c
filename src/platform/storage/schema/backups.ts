/** Scheduled backups. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { count, id, textColumn } from "./columns.ts";

/** failed: nothing was stored. verified: what was stored is what was sent. proven: it was restored and compared. */
export const BACKUP_STATES = ["failed", "verified", "proven"] as const;

/** Stored backups, and attempts that failed. A backup that a restored database does not know is never removed. */
export const backups = sqliteTable("backups", {
  id: id(),
  name: text().notNull(), // of its file or object, "" = the attempt failed
  place: text().notNull(), // where it is, as in /backup or s3://bucket/muster/
  createdAt: integer().notNull(), // when the copy was made
  endedAt: integer().notNull(),
  state: text({ enum: BACKUP_STATES }).notNull(),
  bytes: count(),
  databaseBytes: count(), // size of the database in it
  trouble: textColumn(), // why it failed or was not proven
});
