import { and, asc, eq, gt, inArray, isNotNull, lt, max, min, sql } from "drizzle-orm";
import { deletionBefore, deletionOf } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  downtimeIntervals,
  events,
  excludedIntervals,
  historyBlocks,
  hosts,
  publicNotes,
  samples,
  services,
  silentRecoveries,
} from "../../platform/storage/schema.ts";
import { sweep } from "../../platform/storage/sweep.ts";
import { listOf } from "../../platform/storage/words.ts";

// Each deletes up to `limit` rows older than `before`, unix seconds, and returns how many.

const oldBlocks = deletionOf<{ resolution: number; before: number }>(
  historyBlocks,
  and(
    eq(historyBlocks.resolution, sql.placeholder("resolution")),
    lt(historyBlocks.start, sql.placeholder("before")),
  ),
);

const newestOldBlock = prepareOnce((db) =>
  db
    .select({ start: max(historyBlocks.start) })
    .from(historyBlocks)
    .where(
      and(
        eq(historyBlocks.resolution, sql.placeholder("resolution")),
        lt(historyBlocks.start, sql.placeholder("before")),
      ),
    )
    .prepare(),
);

/** When the newest block that `deleteBlocks` would delete begins, unix seconds; null if there is none. */
export function newestBlockBefore(db: Db, resolution: number, before: number): number | null {
  return newestOldBlock(db).get({ resolution, before })?.start ?? null;
}

/** Deletes blocks of a resolution by the time at which they begin. */
export function deleteBlocks(db: Db, resolution: number, before: number, limit: number): number {
  return oldBlocks(db, { resolution, before, limit });
}

const firstSamples = prepareOnce((db) =>
  db
    .select({ id: samples.id, hostId: samples.hostId, at: samples.at })
    .from(samples)
    .orderBy(asc(samples.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/**
 * Deletes samples that were never packed, as on a host with a damaged block. Row ids are in order of time, so only the
 * first rows need to be checked.
 * @param isGivenUp whether the samples of a host cannot be packed; without it, samples of all hosts are deleted
 */
export function deleteUnpackedSamples(
  db: Db,
  before: number,
  limit: number,
  isGivenUp: (hostId: number) => boolean = () => true,
): number {
  const first = firstSamples(db).all({ limit });
  const outdated = first.filter(({ hostId, at }) => at < before && isGivenUp(hostId)).map(({ id }) => id);
  if (outdated.length > 0) db.delete(samples).where(inArray(samples.id, outdated)).run();
  return outdated.length;
}

function endedIntervals(table: typeof downtimeIntervals | typeof excludedIntervals) {
  const isOld = and(isNotNull(table.endedAt), lt(table.endedAt, sql.placeholder("before")));
  const newest = prepareOnce((db) =>
    db
      .select({ endedAt: max(table.endedAt) })
      .from(table)
      .where(isOld)
      .prepare(),
  );
  return {
    /** When the newest interval that `delete` would delete ended, unix seconds; null if there is none. */
    newestEnd: (db: Db, before: number) => newest(db).get({ before })?.endedAt ?? null,
    delete: deletionBefore(table, isOld),
  };
}

/** Failures, and excluded time. */
export const ENDED_INTERVALS = [endedIntervals(downtimeIntervals), endedIntervals(excludedIntervals)];

/** When the oldest host was created, unix seconds; null without hosts. */
export function oldestHost(db: Db): number | null {
  const [row] = db
    .select({ createdAt: min(hosts.createdAt) })
    .from(hosts)
    .all();
  return row?.createdAt ?? null;
}

/** Deletes recoveries without an event that are dated before a time. */
export const deleteSilentRecoveries = deletionBefore(
  silentRecoveries,
  lt(silentRecoveries.date, sql.placeholder("before")),
);

/** Deletes vanished services without events. */
export const deleteVanishedServices = deletionBefore(
  services,
  and(lt(services.vanishedAt, sql.placeholder("before")), sql`${services.events} = 0`),
);

/**
 * Deletes notes of status pages that ended before a time, in steps: no index has their ends, and there may be any
 * number of them.
 * @returns a function that looks at the next `limit` notes and returns how many there were
 */
export function endedNotesSweep(db: Db): (before: number, limit: number) => number {
  const notesAfter = db
    .select({ id: publicNotes.id })
    .from(publicNotes)
    .where(gt(publicNotes.id, sql.placeholder("last")))
    .orderBy(asc(publicNotes.id))
    .limit(sql.placeholder("limit"))
    .prepare();
  let ended = 0;
  const step = sweep(
    (last, limit) => notesAfter.all({ last, limit }),
    (ids) =>
      void db
        .delete(publicNotes)
        .where(and(sql`${publicNotes.id} in ${listOf(ids)}`, lt(publicNotes.endedAt, ended)))
        .run(),
  );
  return (before, limit) => {
    ended = before;
    return step(limit);
  };
}

/** Dates of the oldest stored event and statistic; null if nothing is stored. */
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
