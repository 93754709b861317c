/**
 * The values of a host's statistics in the past: each message of the last day and, before that, the least and
 * the greatest value of periods of five minutes.
 */
import type { Db } from "../../platform/storage/open.ts";
import { decodeBlock, type Row } from "../history/block.ts";
import { blocksWithin, looseSamples } from "../history/history.repository.ts";
import { FIVE_MINUTES, HOURLY, RAW, type Resolution, startOf } from "../history/resolutions.ts";
import { columnsOf, type Period, periodsOfRows, rollUp } from "../history/rollup.ts";
import type { Interval } from "../uptime/intervals.ts";

/** The values at one time, in the order of the statistics that were asked for; NaN where there is none. */
export interface Point {
  /** Unix seconds. */
  at: number;
  low: Float64Array;
  high: Float64Array;
}

export class PastValues {
  readonly #positions: ReadonlyMap<number, number>;
  readonly #columns: ReadonlySet<number>;

  constructor(
    private readonly db: Db,
    private readonly hostId: number,
    private readonly statisticIds: readonly number[],
  ) {
    this.#positions = new Map(statisticIds.map((id, position) => [id, position]));
    this.#columns = new Set(statisticIds.flatMap(columnsOf));
  }

  /**
   * The messages of the window, in order. Packed hours of which the caller does not have to know more than their
   * extremes are left out.
   * @param isEnough whether the extremes of an hour say enough
   */
  *messages(window: Interval, isEnough: (hour: Point) => boolean): Generator<Point> {
    const wanted = new Set(this.statisticIds);
    const loose = looseSamples(this.db, this.hostId, window);
    const extremes = this.#read(FIVE_MINUTES, window);
    const blocks = blocksWithin(this.db, this.hostId, RAW, window);
    for (const { start, payload } of blocks) {
      const [hour] = rollUp(extremes.get(start) ?? [], RAW.blockSpan);
      const late = loose.filter(({ at }) => startOf(at, RAW.blockSpan) === start);
      if (hour && late.length === 0 && isEnough(this.#point(hour))) continue;
      yield* this.#samples([...decodeBlock(payload, wanted), ...late], window);
    }
    const packed = new Set(blocks.map(({ start }) => start));
    yield* this.#samples(
      loose.filter(({ at }) => !packed.has(startOf(at, RAW.blockSpan))),
      window,
    );
  }

  #samples(rows: readonly Row[], { from, to }: Interval): Point[] {
    return rows
      .filter(({ at }) => at >= from && at < to)
      .sort((a, b) => a.at - b.at)
      .map(({ at, ids, values }) => {
        const sample = new Float64Array(this.statisticIds.length).fill(Number.NaN);
        for (let i = 0; i < ids.length; i++) {
          const position = this.#positions.get(ids[i] ?? 0);
          if (position !== undefined) sample[position] = values[i] ?? Number.NaN;
        }
        return { at, low: sample, high: sample };
      });
  }

  /**
   * The periods of five minutes of the window, in order. Hours of which the caller does not have to know more than
   * their extremes are not read: for them the periods have those of the hour.
   * @param isEnough whether the extremes of an hour say enough
   */
  *periods(window: Interval, isEnough: (hour: Point) => boolean): Generator<Point> {
    const days = this.#read(HOURLY, window);
    const fine = new Map<number, Period[]>();
    for (let day = startOf(window.from, HOURLY.blockSpan); day < window.to; day += HOURLY.blockSpan) {
      const hours = days.get(day);
      const span = { from: Math.max(day, window.from), to: Math.min(day + HOURLY.blockSpan, window.to) };
      if (!hours) for (const [at, periods] of this.#read(FIVE_MINUTES, span)) fine.set(at, periods);
      const starts = hours ? hours.map(({ at }) => at) : [...fine.keys()].sort((a, b) => a - b);
      for (const start of starts) {
        const hour = hours?.find(({ at }) => at === start);
        const known = hour && this.#point(hour);
        const points =
          known && isEnough(known)
            ? repeated(known)
            : (fine.get(start) ?? this.#hour(start)).map((period) => this.#point(period));
        for (const point of points) if (point.at >= span.from && point.at < span.to) yield point;
      }
      fine.clear();
    }
  }

  #hour(start: number): Period[] {
    const end = start + FIVE_MINUTES.blockSpan;
    return this.#read(FIVE_MINUTES, { from: start, to: end }).get(start) ?? [];
  }

  /** The periods of each block that overlaps the window, by its start. */
  #read(resolution: Resolution, window: Interval): Map<number, Period[]> {
    const blocks = blocksWithin(this.db, this.hostId, resolution, window);
    return new Map(
      blocks.map(({ start, payload }) => [start, periodsOfRows(decodeBlock(payload, this.#columns))]),
    );
  }

  #point({ at, aggregates }: Period): Point {
    const low = new Float64Array(this.statisticIds.length).fill(Number.NaN);
    const high = low.slice();
    for (const [id, { min, max }] of aggregates) {
      const position = this.#positions.get(id) ?? 0;
      low[position] = min;
      high[position] = max;
    }
    return { at, low, high };
  }
}

/** The periods of an hour that all have its extremes. */
function repeated({ at, low, high }: Point): Point[] {
  const count = HOURLY.seconds / FIVE_MINUTES.seconds;
  return Array.from({ length: count }, (_, i) => ({ at: at + i * FIVE_MINUTES.seconds, low, high }));
}
