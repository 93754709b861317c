import type { Db } from "../../platform/storage/open.ts";
import { decodeBlock } from "../history/block.ts";
import { blocksWithin, looseSamples } from "../history/history.repository.ts";
import { FIVE_MINUTES, HOURLY, type Resolution } from "../history/resolutions.ts";
import { columnsOf } from "../history/rollup.ts";

const HOUR = 3600;

/** Sums and numbers of the values of a statistic, per hour. */
interface Sums {
  sum: Float64Array;
  count: Float64Array;
}

function meansOf({ sum, count }: Sums): Float64Array {
  return sum.map((total, hour) => total / (count[hour] ?? 0));
}

/**
 * The mean of each of the last hours, the present one included, by statistic; NaN for an hour without values. It
 * decodes nothing but sums and counts: a block per day, and finer ones only since the newest of those.
 */
export function hourlyMeans(
  db: Db,
  hostId: number,
  ids: readonly number[],
  now: number,
  hours: number,
): Map<number, Float64Array> {
  const end = (Math.floor(now / HOUR) + 1) * HOUR;
  const from = end - hours * HOUR;
  const byId = new Map<number, Sums>();
  const targets = new Map<number, Float64Array>();
  for (const id of ids) {
    const sums = { sum: new Float64Array(hours), count: new Float64Array(hours) };
    const [, sum = 0, , count = 0] = columnsOf(id);
    byId.set(id, sums);
    targets.set(sum, sums.sum).set(count, sums.count);
  }
  const columns = new Set(targets.keys());
  const hourOf = (at: number) => Math.floor((at - from) / HOUR);
  /** @returns the end of the newest block */
  const addBlocks = (resolution: Resolution, since: number): number => {
    const blocks = blocksWithin(db, hostId, resolution, { from: since, to: end });
    for (const { payload } of blocks)
      for (const { at, ids: found, values } of decodeBlock(payload, columns)) {
        if (at < since || at >= end) continue;
        const hour = hourOf(at);
        for (let i = 0; i < found.length; i++) {
          const target = targets.get(found[i] ?? 0);
          const value = values[i] ?? Number.NaN;
          if (target && !Number.isNaN(value)) target[hour] = (target[hour] ?? 0) + value;
        }
      }
    const newest = blocks.at(-1);
    return newest ? newest.start + resolution.blockSpan : since;
  };
  addBlocks(FIVE_MINUTES, addBlocks(HOURLY, from));
  for (const { at, ids: found, values } of looseSamples(db, hostId, { from, to: now + 1 })) {
    const hour = hourOf(at);
    for (let i = 0; i < found.length; i++) {
      const sums = byId.get(found[i] ?? 0);
      const value = values[i] ?? Number.NaN;
      if (!sums || Number.isNaN(value)) continue;
      sums.sum[hour] = (sums.sum[hour] ?? 0) + value;
      sums.count[hour] = (sums.count[hour] ?? 0) + 1;
    }
  }
  return new Map([...byId].map(([id, sums]) => [id, meansOf(sums)]));
}
