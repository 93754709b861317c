import { and, asc, eq, inArray, isNotNull, lt, min } from "drizzle-orm";
import { deleteSome } from "../../platform/storage/delete-some.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  downtimeIntervals,
  events,
  excludedIntervals,
  historyBlocks,
  samples,
  services,
  silentRecoveries,
} from "../../platform/storage/schema.ts";

// Each deletes up to `limit` rows older than `before`, unix seconds, and returns how many.

/** Deletes blocks of a resolution by the time at which they begin. */
export function deleteBlocks(db: Db, resolution: number, before: number, limit: number): number {
  const isOld = and(eq(historyBlocks.resolution, resolution), lt(historyBlocks.start, before));
  return deleteSome(db, historyBlocks, isOld, limit);
}

/**
 * Deletes samples that were never packed, which happens on a host with a damaged block. Row ids are in order
 * of time, so only the first rows need to be checked.
 */
export function deleteUnpackedSamples(db: Db, before: number, limit: number): number {
  const first = db
    .select({ id: samples.id, at: samples.at })
    .from(samples)
    .orderBy(asc(samples.id))
    .limit(limit)
    .all();
  const old = first.filter(({ at }) => at < before).map(({ id }) => id);
  if (old.length > 0) db.delete(samples).where(inArray(samples.id, old)).run();
  return old.length;
}

function deleteEnded(table: typeof downtimeIntervals | typeof excludedIntervals) {
  return (db: Db, before: number, limit: number): number =>
    deleteSome(db, table, and(isNotNull(table.endedAt), lt(table.endedAt, before)), limit);
}

export const deleteDowntimes = deleteEnded(downtimeIntervals);
export const deleteExcluded = deleteEnded(excludedIntervals);

export function deleteSilentRecoveries(db: Db, before: number, limit: number): number {
  return deleteSome(db, silentRecoveries, lt(silentRecoveries.date, before), limit);
}

/** Deletes services that vanished and have no event left. */
export function deleteVanishedServices(db: Db, before: number, limit: number): number {
  return deleteSome(db, services, and(lt(services.vanishedAt, before), eq(services.events, 0)), limit);
}

/** Dates of the oldest stored event and statistic; null if there is none. */
export function oldestData(db: Db): { oldestevent: number | null; oldestsample: number | null } {
  const [event] = db
    .select({ at: min(events.date) })
    .from(events)
    .all();
  const [block] = db
    .select({ at: min(historyBlocks.start) })
    .from(historyBlocks)
    .all();
  return { oldestevent: event?.at ?? null, oldestsample: block?.at ?? null };
}
