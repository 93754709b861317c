import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { historyBlocks, hosts, sampleLayouts, samples } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";

/** The most blocks that are read at once. One can have some hundred kB. */
const AT_ONCE = 100;
/** The most samples that are read at once. */
const SAMPLES_AT_ONCE = 1000;

const { hostId, resolution, start, payload } = historyBlocks;

/** Identifies a block of past values. */
export interface BlockKey {
  hostId: number;
  /** Seconds; 0 for values as measured. */
  resolution: number;
  /** Unix seconds. */
  start: number;
}

/** The blocks that follow one in the order of their keys, up to AT_ONCE. */
export function blocksAfter(db: Db, last: BlockKey) {
  return db
    .select({ hostId, resolution, start, payload })
    .from(historyBlocks)
    .where(sql`(${hostId}, ${resolution}, ${start}) > (${last.hostId}, ${last.resolution}, ${last.start})`)
    .orderBy(asc(hostId), asc(resolution), asc(start))
    .limit(AT_ONCE)
    .all();
}

/** Deletes a block. */
export function deleteBlock(db: Db, key: BlockKey): void {
  const isBlock = and(eq(hostId, key.hostId), eq(resolution, key.resolution), eq(start, key.start));
  db.delete(historyBlocks).where(isBlock).run();
}

/** The samples with the next ids after one, up to SAMPLES_AT_ONCE, with the stored ids of their statistics. */
export function samplesAfter(db: Db, lastId: number) {
  return db
    .select({
      id: samples.id,
      hostId: samples.hostId,
      values: samples.values,
      statisticIds: sampleLayouts.statisticIds,
    })
    .from(samples)
    .innerJoin(sampleLayouts, eq(sampleLayouts.id, samples.layoutId))
    .where(gt(samples.id, lastId))
    .orderBy(asc(samples.id))
    .limit(SAMPLES_AT_ONCE)
    .all();
}

/** Deletes a sample. */
export function deleteSample(db: Db, id: number): void {
  db.delete(samples).where(eq(samples.id, id)).run();
}

/** The names of hosts, by id. Those of hosts that are missing are left out. */
export function hostnamesOf(db: Db, ids: readonly number[]): Map<number, string> {
  const rows = db.select({ id: hosts.id, hostname: hosts.hostname }).from(hosts);
  const named = rows.where(sql`${hosts.id} in ${listOf(ids)}`).all();
  return new Map(named.map(({ id, hostname }) => [id, hostname]));
}
