/**
 * The values of a host's statistics in the past: each message of the last day and, before that, the least and the
 * greatest value of each period of five minutes. Most of the cost of a preview is reading blocks, so it skips the
 * hours for which coarser extremes are enough.
 */
import type { Db } from "../../platform/storage/open.ts";
import { type BlockColumns, type BlockRow, decodeColumns, LayoutMemo } from "../history/block.ts";
import { blocksWithin, looseSamples } from "../history/history.repository.ts";
import { FIVE_MINUTES, HOURLY, RAW, type Resolution, startOf } from "../history/resolutions.ts";
import { columnsOf } from "../history/rollup.ts";
import type { Interval } from "../uptime/intervals.ts";

/**
 * The values at one time, in the order of the requested statistics; NaN where there is none. The arrays are valid
 * until the next point.
 */
export interface PastPoint {
  /** Unix seconds. */
  at: number;
  low: Float64Array;
  high: Float64Array;
}

/** The extremes of an hour. */
export interface Hour extends PastPoint {
  /** How many values each statistic has. */
  counts: Float64Array;
}

/** What has to be read of an hour, judging by its extremes: nothing, only the extremes, or each value. */
export type Detail = "nothing" | "extremes" | "values";

/** Blocks of this many hours are read together. */
const HOURS_PER_READ = 6;
const PERIODS_PER_HOUR = HOURLY.seconds / FIVE_MINUTES.seconds;

/**
 * Reads the past values of some statistics of one host. Times are unix seconds, and windows do not include
 * their end.
 */
export class PastValues {
  /** Positions of the statistics, and of the columns of their least and greatest values and their counts. */
  readonly #positions: ReadonlyMap<number, number>;
  readonly #extremes: ReadonlyMap<number, number>;
  readonly #layouts = { periods: new LayoutMemo(), hours: new LayoutMemo(), raw: new LayoutMemo() };
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  readonly #counts: Float64Array;

  constructor(
    private readonly db: Db,
    private readonly hostId: number,
    statisticIds: readonly number[],
  ) {
    const count = statisticIds.length;
    this.#positions = new Map(statisticIds.map((id, position) => [id, position]));
    this.#extremes = new Map(
      statisticIds.flatMap((id, position) => {
        const [min = 0, , max = 0, valueCount = 0] = columnsOf(id);
        const parts = [min, max, valueCount];
        return parts.map((column, part) => [column, part * count + position] as const);
      }),
    );
    this.#low = new Float64Array(count);
    this.#high = new Float64Array(count);
    this.#counts = new Float64Array(count);
  }

  /**
   * The messages of the window, in order, without those of packed hours that need not be read.
   * @param detail what has to be read of an hour; not only its extremes
   */
  *messages(window: Interval, detail: (hour: Hour) => Exclude<Detail, "extremes">): Generator<PastPoint> {
    const loose = Map.groupBy(looseSamples(this.db, this.hostId, window), ({ at }) =>
      startOf(at, RAW.blockSpan),
    );
    const blocks = this.#blocks(FIVE_MINUTES, window);
    for (const { start, payload } of blocksWithin(this.db, this.hostId, RAW, window)) {
      const late = loose.get(start);
      loose.delete(start);
      const extremes = late ? undefined : blocks.get(start);
      const hour = extremes && this.#whole(start, this.#decoded(extremes, this.#layouts.periods));
      if (hour && detail(hour) === "nothing") continue;
      const columns = decodeColumns(payload, this.#positions, this.#layouts.raw);
      yield* late ? this.#merged(columns, late, window) : this.#samples(columns, window);
    }
    for (const rows of loose.values()) for (const row of rows) yield this.#sample(row);
  }

  /** The samples of a block within the window. */
  *#samples({ times, columns }: BlockColumns, { from, to }: Interval): Generator<PastPoint> {
    for (let r = 0; r < times.length; r++) {
      const at = times[r] ?? 0;
      if (at < from || at >= to) continue;
      for (let p = 0; p < columns.length; p++) this.#low[p] = columns[p]?.[r] ?? Number.NaN;
      yield { at, low: this.#low, high: this.#low };
    }
  }

  /** The samples of an hour that was packed before its last samples were stored. */
  *#merged(
    { times, columns }: BlockColumns,
    late: readonly BlockRow[],
    { from, to }: Interval,
  ): Generator<PastPoint> {
    const ids = Uint32Array.from(this.#positions.keys());
    const packed = Array.from(times, (at, r) => {
      return { at, ids, values: Float64Array.from(columns, (column) => column[r] ?? Number.NaN) };
    });
    for (const row of [...packed, ...late].sort((a, b) => a.at - b.at))
      if (row.at >= from && row.at < to) yield this.#sample(row);
  }

  #sample({ at, ids, values }: BlockRow): PastPoint {
    const sample = this.#low.fill(Number.NaN);
    for (let i = 0; i < ids.length; i++) {
      const position = this.#positions.get(ids[i] ?? 0);
      if (position !== undefined) sample[position] = values[i] ?? Number.NaN;
    }
    return { at, low: sample, high: sample };
  }

  /** The periods of five minutes of the window, in order. An hour whose extremes are enough is one period. */
  *periods(window: Interval, detail: (hour: Hour) => Detail): Generator<PastPoint> {
    const days = this.#blocks(HOURLY, window);
    for (let day = startOf(window.from, HOURLY.blockSpan); day < window.to; day += HOURLY.blockSpan) {
      const span = { from: Math.max(day, window.from), to: Math.min(day + HOURLY.blockSpan, window.to) };
      const hours = days.get(day);
      const points = hours
        ? this.#ofDay(this.#decoded(hours, this.#layouts.hours), span, detail)
        : this.#unsummed(span);
      for (const point of points) if (point.at >= span.from && point.at < span.to) yield point;
    }
  }

  /** The periods of a day that is not yet rolled up to hours. */
  *#unsummed(span: Interval): Generator<PastPoint> {
    for (const payload of this.#blocks(FIVE_MINUTES, span).values()) yield* this.#points(payload);
  }

  *#ofDay(hours: BlockColumns, { to }: Interval, detail: (hour: Hour) => Detail): Generator<PastPoint> {
    let read = new Map<number, Uint8Array>();
    let readTo = 0;
    for (let r = 0; r < hours.times.length; r++) {
      const hour = this.#hour(hours, r);
      const start = hour.at;
      const hourDetail = detail(hour);
      if (hourDetail === "nothing") continue;
      if (hourDetail === "values" && start >= readTo) {
        readTo = Math.min(start + HOURS_PER_READ * HOURLY.seconds, to);
        read = this.#blocks(FIVE_MINUTES, { from: start, to: readTo });
      }
      const payload = hourDetail === "values" ? read.get(start) : undefined;
      if (payload) yield* this.#points(payload);
      else
        for (let i = 0; i < PERIODS_PER_HOUR; i++)
          yield { at: start + i * FIVE_MINUTES.seconds, low: hour.low, high: hour.high };
    }
  }

  *#points(payload: Uint8Array): Generator<PastPoint> {
    const periods = this.#decoded(payload, this.#layouts.periods);
    for (let r = 0; r < periods.times.length; r++) yield this.#point(periods, r);
  }

  /** The blocks that overlap the window, by their start. */
  #blocks(resolution: Resolution, window: Interval): Map<number, Uint8Array> {
    const blocks = blocksWithin(this.db, this.hostId, resolution, window);
    return new Map(blocks.map(({ start, payload }) => [start, payload]));
  }

  #decoded(payload: Uint8Array, memo: LayoutMemo): BlockColumns {
    return decodeColumns(payload, this.#extremes, memo);
  }

  #point({ times, columns }: BlockColumns, row: number): PastPoint {
    const count = this.#low.length;
    for (let p = 0; p < count; p++) {
      this.#low[p] = columns[p]?.[row] ?? Number.NaN;
      this.#high[p] = columns[count + p]?.[row] ?? Number.NaN;
    }
    return { at: times[row] ?? 0, low: this.#low, high: this.#high };
  }

  /** The extremes of an hour with the counts of its values. */
  #hour(hours: BlockColumns, row: number): Hour {
    const count = this.#counts.length;
    for (let p = 0; p < count; p++) this.#counts[p] = hours.columns[2 * count + p]?.[row] ?? Number.NaN;
    return { ...this.#point(hours, row), counts: this.#counts };
  }

  /** The extremes of all periods of a block; NaN where a statistic has no value in any. */
  #whole(at: number, { columns }: BlockColumns): Hour {
    const count = this.#low.length;
    for (let p = 0; p < count; p++) {
      this.#low[p] = merged(columns[p], Math.min);
      this.#high[p] = merged(columns[count + p], Math.max);
      this.#counts[p] = merged(columns[2 * count + p], (a, b) => a + b);
    }
    return { at, low: this.#low, high: this.#high, counts: this.#counts };
  }
}

/** Merges the values of a column; NaN if there is none. */
function merged(values: Float64Array | undefined, merge: (a: number, b: number) => number): number {
  let result = Number.NaN;
  for (const value of values ?? [])
    if (!Number.isNaN(value)) result = Number.isNaN(result) ? value : merge(result, value);
  return result;
}
