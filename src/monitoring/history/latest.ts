import type { Db } from "../../platform/storage/open.ts";
import { type BlockRow, type ColumnIds, decodeBlock } from "./block.ts";
import { newestBlock, newestLooseSample } from "./history.repository.ts";
import { RAW } from "./resolutions.ts";

/**
 * The newest packed message of a host; undefined if there is none.
 * @param columns the statistics to read; all if undefined
 */
export function newestPacked(db: Db, hostId: number, columns?: ColumnIds): BlockRow | undefined {
  const block = newestBlock(db, hostId, RAW);
  return block && decodeBlock(block, columns).at(-1);
}

/** The values of a host's newest message, by statistic id. */
export function latestValues(db: Db, hostId: number): Map<number, number> {
  const row = newestLooseSample(db, hostId) ?? newestPacked(db, hostId);
  return new Map(row ? Array.from(row.ids, (id, i) => [id, row.values[i] ?? 0]) : []);
}
