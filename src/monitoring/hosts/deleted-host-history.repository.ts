import { and, eq, isNotNull } from "drizzle-orm";
import { deleteSome } from "../../platform/storage/delete-some.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  downtimeIntervals,
  historyBlocks,
  outputChanges,
  samples,
  silentRecoveries,
} from "../../platform/storage/schema.ts";

/** Deletes up to `limit` rows of each kind of record of a host. @returns the largest number of one kind */
export function deleteRecordsOfHost(db: Db, hostId: number, limit: number): number {
  const counts = [historyBlocks, samples, outputChanges, silentRecoveries, downtimeIntervals].map((table) => {
    const isOver = table === downtimeIntervals ? isNotNull(downtimeIntervals.endedAt) : undefined;
    return deleteSome(db, table, and(eq(table.hostId, hostId), isOver), limit);
  });
  return Math.max(...counts);
}
