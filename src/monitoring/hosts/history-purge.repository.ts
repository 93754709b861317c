import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import {
  downtimeIntervals,
  historyBlocks,
  samples,
  silentRecoveries,
} from "../../platform/storage/schema.ts";

/**
 * Deletes up to `limit` rows each of a host's history, recoveries and past downtimes.
 * @returns the largest number of rows deleted from one table
 */
export function deleteRecordsOfHost(db: Db, hostId: number, limit: number): number {
  const counts = [historyBlocks, samples, silentRecoveries, downtimeIntervals].map((table) => {
    const isOver = table === downtimeIntervals ? isNotNull(downtimeIntervals.endedAt) : undefined;
    const some = sql`select rowid from ${table} where ${and(eq(table.hostId, hostId), isOver)} limit ${limit}`;
    return db.all(sql`delete from ${table} where rowid in (${some}) returning 1`).length;
  });
  return Math.max(...counts);
}
