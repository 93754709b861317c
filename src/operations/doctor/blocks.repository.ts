import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { historyBlocks, hosts } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";

/** The most blocks that are read at once. One can have some hundred kB. */
const AT_ONCE = 100;

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

/** The names of hosts, by id. Those of hosts that are missing are left out. */
export function hostnamesOf(db: Db, ids: readonly number[]): Map<number, string> {
  const rows = db.select({ id: hosts.id, hostname: hosts.hostname }).from(hosts);
  const named = rows.where(sql`${hosts.id} in ${listOf(ids)}`).all();
  return new Map(named.map(({ id, hostname }) => [id, hostname]));
}
