import { HOUR } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { historyOf, pastOf } from "../past/past.ts";
import { type BlockRow, decodeColumns, LayoutMemo } from "./block.ts";
import { blocksWithin } from "./history.repository.ts";
import { withoutUnknown } from "./known-values.ts";
import { FIVE_MINUTES, HOURLY, type Resolution, startOf } from "./resolutions.ts";
import { columnsOf } from "./rollup.ts";
import { unpackedSamples } from "./unpacked.ts";

/** The hours whose means are read, and the blocks that contain them. */
export interface Hours {
  /** Start of the first hour, unix seconds. */
  from: number;
  /** Values at this time or later are left out, unix seconds. */
  to: number;
  count: number;
  /** Coarsest first. A finer resolution is read only after the newest block of the coarser one. */
  resolutions: readonly Resolution[];
}

const HOURS_OF_DAY = 24;

/** The 24 hours until now. The current second belongs to the last of them. */
export function lastDay(now: number): Hours {
  return { from: now - HOURS_OF_DAY * HOUR, to: now + 1, count: HOURS_OF_DAY, resolutions: [FIVE_MINUTES] };
}

/** Whole hours of the clock, including the current one. Reading them takes a block per day instead of one per hour. */
export function wholeHours(count: number, now: number): Hours {
  const from = (Math.floor(now / HOUR) + 1 - count) * HOUR;
  return { from, to: now + 1, count, resolutions: [HOURLY, FIVE_MINUTES] };
}

/** Sums and counts of the values of a statistic, per hour. */
interface Sums {
  sum: Float64Array;
  count: Float64Array;
}

/** Adds up the values of statistics, per hour. */
class HourlySums {
  readonly #byId: ReadonlyMap<number, Sums>;
  /** What is added to: the sum and the count of each statistic. */
  readonly #targets: Float64Array[] = [];
  /** The indexes of these by the columns of a block. */
  readonly #positions = new Map<number, number>();
  readonly #memo = new LayoutMemo();
  readonly #from: number;
  readonly #hours: number;

  constructor(ids: readonly number[], { from, count: hours }: Pick<Hours, "from" | "count">) {
    this.#from = from;
    this.#hours = hours;
    const newSums = () => ({ sum: new Float64Array(hours), count: new Float64Array(hours) });
    this.#byId = new Map<number, Sums>(ids.map((id) => [id, newSums()]));
    for (const [id, sums] of this.#byId) {
      const [, sum = 0, , count = 0] = columnsOf(id);
      this.#positions
        .set(sum, this.#targets.push(sums.sum) - 1)
        .set(count, this.#targets.push(sums.count) - 1);
    }
  }

  #hourOf(at: number): number {
    return Math.min(this.#hours - 1, Math.floor((at - this.#from) / HOUR));
  }

  /** Adds the values from `since` until before `before`. Of each block it decodes only the sums and counts. */
  addBlocks(blocks: readonly { payload: Uint8Array }[], since: number, before: number): void {
    const targets = this.#targets;
    for (const { payload } of blocks) {
      const { times, columns } = decodeColumns(payload, this.#positions, this.#memo);
      for (let r = 0; r < times.length; r++) {
        const at = times[r] ?? 0;
        if (at < since || at >= before) continue;
        const hour = this.#hourOf(at);
        for (let position = 0; position < targets.length; position++) {
          const target = targets[position];
          const value = columns[position]?.[r] ?? Number.NaN;
          if (target && !Number.isNaN(value)) target[hour] = (target[hour] ?? 0) + value;
        }
      }
    }
  }

  addSamples(samples: readonly BlockRow[]): void {
    for (const { at, ids, values } of samples) {
      const hour = this.#hourOf(at);
      for (let i = 0; i < ids.length; i++) {
        const sums = this.#byId.get(ids[i] ?? 0);
        const value = values[i] ?? Number.NaN;
        if (!sums || Number.isNaN(value)) continue;
        sums.sum[hour] = (sums.sum[hour] ?? 0) + value;
        sums.count[hour] = (sums.count[hour] ?? 0) + 1;
      }
    }
  }

  /** The mean of each hour by statistic; NaN for an hour without values. */
  means(): Map<number, Float64Array> {
    return new Map([...this.#byId].map(([id, sums]) => [id, meansOf(sums)]));
  }
}

/**
 * The mean of each hour by statistic; NaN for an hour without values. It builds neither rows nor aggregates of blocks, as
 * the history of charts does.
 */
export function hourlyMeans(
  db: Db,
  hostId: number,
  ids: readonly number[],
  hours: Hours,
): Map<number, Float64Array> {
  const { from, to, resolutions } = hours;
  const sums = new HourlySums(ids, hours);
  const unpacked = unpackedSamples(db, hostId, { from, to });
  let since = from;
  /** Start of the oldest block that was read. */
  let oldest = startOf(Math.min(to, unpacked.blocksBefore), HOUR);
  for (const resolution of resolutions) {
    const blocks = blocksWithin(historyOf(db), hostId, resolution, { from: since, to }).filter(
      ({ start }) => start < unpacked.blocksBefore,
    );
    sums.addBlocks(blocks, since, to);
    oldest = Math.min(oldest, blocks[0]?.start ?? oldest);
    const newest = blocks.at(-1);
    if (newest) since = newest.start + resolution.blockSpan;
  }
  // Of hours long ago, only hourly means are kept. The mean of the hour of the moment includes values from after the
  // moment.
  if (pastOf(db) && !resolutions.includes(HOURLY) && oldest > from)
    sums.addBlocks(blocksWithin(historyOf(db), hostId, HOURLY, { from, to: oldest }), from, oldest);
  sums.addSamples(withoutUnknown(historyOf(db), unpacked.samples));
  return sums.means();
}

/** Adds means of the last day, hour by hour; null where none has a value. @param highest the highest sum */
export function addedUp(series: readonly Float64Array[], highest: number): (number | null)[] {
  return Array.from({ length: HOURS_OF_DAY }, (_, hour) => {
    const values = series.map((means) => means[hour] ?? Number.NaN).filter((value) => !Number.isNaN(value));
    return values.length === 0
      ? null
      : Math.min(
          highest,
          values.reduce((sum, value) => sum + value, 0),
        );
  });
}

function meansOf({ sum, count }: Sums): Float64Array {
  return sum.map((total, hour) => total / (count[hour] ?? 0));
}
