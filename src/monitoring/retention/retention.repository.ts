import { and, asc, eq, inArray, isNotNull, lt, min, sql } from "drizzle-orm";
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

/** Deletes blocks of a resolution that begin before `before`, at most `limit`. @returns how many */
export function deleteBlocks(db: Db, resolution: number, before: number, limit: number): number {
  const old = db
    .select({ rowid: sql`rowid` })
    .from(historyBlocks)
    .where(and(eq(historyBlocks.resolution, resolution), lt(historyBlocks.start, before)))
    .limit(limit);
  return db.delete(historyBlocks).where(sql`rowid in ${old}`).returning({ start: historyBlocks.start }).all()
    .length;
}

/**
 * Deletes samples older than `before` that were never packed, which happens on a host with a damaged block.
 * Row ids are in order of time, so only the first rows need to be checked.
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
  return (db: Db, before: number, limit: number): number => {
    const old = db
      .select({ id: table.id })
      .from(table)
      .where(and(isNotNull(table.endedAt), lt(table.endedAt, before)))
      .limit(limit);
    return db.delete(table).where(sql`${table.id} in ${old}`).returning({ id: table.id }).all().length;
  };
}

export const deleteDowntimes = deleteEnded(downtimeIntervals);
export const deleteExcluded = deleteEnded(excludedIntervals);

export function deleteSilentRecoveries(db: Db, before: number, limit: number): number {
  const old = db
    .select({ id: silentRecoveries.id })
    .from(silentRecoveries)
    .where(lt(silentRecoveries.date, before))
    .limit(limit);
  return db
    .delete(silentRecoveries)
    .where(sql`${silentRecoveries.id} in ${old}`)
    .returning({ id: silentRecoveries.id })
    .all().length;
}

/** Deletes services that vanished before `before` and have no event left. */
export function deleteVanishedServices(db: Db, before: number, limit: number): number {
  const old = db
    .select({ id: services.id })
    .from(services)
    .where(and(lt(services.vanishedAt, before), eq(services.events, 0)))
    .limit(limit);
  return db.delete(services).where(sql`${services.id} in ${old}`).returning({ id: services.id }).all().length;
}

/** Dates of the oldest stored event and statistic; null if there is none. */
export function oldestData(db: Db): { oldestevent: number | null; oldestsample: number | null } {
  const event =
    db
      .select({ at: min(events.date) })
      .from(events)
      .get()?.at ?? null;
  const block =
    db
      .select({ at: min(historyBlocks.start) })
      .from(historyBlocks)
      .get()?.at ?? null;
  return { oldestevent: event, oldestsample: block };
}
