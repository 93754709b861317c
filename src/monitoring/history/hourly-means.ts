import type { Db } from "../../platform/storage/open.ts";
import { decodeColumns, LayoutMemo } from "./block.ts";
import { blocksWithin, looseSamples } from "./history.repository.ts";
import { FIVE_MINUTES } from "./resolutions.ts";
import { columnsOf } from "./rollup.ts";

const HOUR = 3600;
export const HOURS = 24;

/** The mean of each hour; null for an hour without values. */
export type Hourly = (number | null)[];

/** Sums and numbers of the values of a statistic, per hour. */
class Sums {
  readonly sums = new Float64Array(HOURS);
  readonly counts = new Float64Array(HOURS);

  means(): Hourly {
    return Array.from(this.sums, (sum, hour) => {
      const count = this.counts[hour] ?? 0;
      return count === 0 ? null : sum / count;
    });
  }
}

/**
 * Means of statistics of a host for each of the last 24 hours. It decodes only the sums and counts of the
 * five-minute blocks, and builds neither rows nor aggregates of them as the history of charts does.
 */
export function hourlyMeans(
  db: Db,
  hostId: number,
  ids: readonly number[],
  now: number,
): (id: number) => Hourly {
  const from = now - HOURS * HOUR;
  const window = { from, to: now + 1 };
  const hourOf = (at: number) => Math.min(HOURS - 1, Math.floor((at - from) / HOUR));
  const byId = new Map(ids.map((id) => [id, new Sums()]));
  const targets: Float64Array[] = [];
  const positions = new Map<number, number>();
  for (const [id, { sums, counts }] of byId) {
    const [, sum = 0, , count = 0] = columnsOf(id);
    positions.set(sum, targets.push(sums) - 1).set(count, targets.push(counts) - 1);
  }
  const memo = new LayoutMemo();
  for (const { payload } of blocksWithin(db, hostId, FIVE_MINUTES, window)) {
    const { times, columns } = decodeColumns(payload, positions, memo);
    for (let r = 0; r < times.length; r++) {
      const at = times[r] ?? 0;
      if (at < from || at > now) continue;
      const hour = hourOf(at);
      for (let position = 0; position < targets.length; position++) {
        const target = targets[position];
        const value = columns[position]?.[r] ?? Number.NaN;
        if (target && !Number.isNaN(value)) target[hour] = (target[hour] ?? 0) + value;
      }
    }
  }
  for (const { at, ids: found, values } of looseSamples(db, hostId, window)) {
    const hour = hourOf(at);
    for (let i = 0; i < found.length; i++) {
      const target = byId.get(found[i] ?? 0);
      const value = values[i] ?? Number.NaN;
      if (!target || Number.isNaN(value)) continue;
      target.sums[hour] = (target.sums[hour] ?? 0) + value;
      target.counts[hour] = (target.counts[hour] ?? 0) + 1;
    }
  }
  return (id) => byId.get(id)?.means() ?? Array<null>(HOURS).fill(null);
}
