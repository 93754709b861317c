import type { Db } from "../../platform/storage/open.ts";
import { type BlockRow, decodeBlock } from "./block.ts";
import { newestBlock, newestLooseSample } from "./history.repository.ts";
import { RAW } from "./resolutions.ts";

function newestPacked(db: Db, hostId: number): BlockRow | undefined {
  const block = newestBlock(db, hostId, RAW);
  return block && decodeBlock(block).at(-1);
}

/** A host's newest message; undefined if there is none. */
export function latestRow(db: Db, hostId: number): BlockRow | undefined {
  return newestLooseSample(db, hostId) ?? newestPacked(db, hostId);
}

/** The values of a host's newest message, by statistic id. */
export function latestValues(db: Db, hostId: number): Map<number, number> {
  const row = latestRow(db, hostId);
  return new Map(row ? Array.from(row.ids, (id, i) => [id, row.values[i] ?? 0]) : []);
}
