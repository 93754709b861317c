/** The last values of hosts at or before a moment: of a message while those are kept, else of the bucket it is in. */
import type { Db } from "../../platform/storage/open.ts";
import { prepareOnce } from "../../platform/storage/open.ts";
import { HIDDEN } from "../../platform/storage/words.ts";
import { type BlockRow, decodeBlock, decodeColumns, LayoutMemo } from "../history/block.ts";
import { looseSampleAt } from "../history/history.repository.ts";
import { FIVE_MINUTES, HOURLY, RAW, type Resolution } from "../history/resolutions.ts";
import { columnsOf, periodsOfRows } from "../history/rollup.ts";

interface Block {
  start: number;
  payload: Uint8Array;
}

const statements = prepareOnce((db) => ({
  blockBefore: db.$client.prepare<Block, [number, number, number]>(
    `select start, payload from history_blocks where host_id = ? and resolution = ${HIDDEN}? and start <= ?
     order by start desc limit 1`,
  ),
}));

/** The last two blocks that begin by the moment: all rows of the last one may be later than the moment. */
function* blocksBefore(db: Db, hostId: number, { seconds }: Resolution, at: number): Generator<Block> {
  const last = statements(db).blockBefore.get(hostId, seconds, at);
  if (!last) return;
  yield last;
  const previous = statements(db).blockBefore.get(hostId, seconds, last.start - 1);
  if (previous) yield previous;
}

/** All values of the last message, or of the last bucket, by the moment; undefined if nothing is stored. */
export function rowAt(db: Db, hostId: number, at: number): BlockRow | undefined {
  const loose = looseSampleAt(db, hostId, at);
  if (loose) return loose;
  for (const { payload } of blocksBefore(db, hostId, RAW, at)) {
    const row = decodeBlock(payload).findLast((candidate) => candidate.at <= at);
    if (row) return row;
  }
  for (const resolution of [FIVE_MINUTES, HOURLY])
    for (const { payload } of blocksBefore(db, hostId, resolution, at)) {
      const row = decodeBlock(payload).findLast((candidate) => candidate.at <= at);
      const [period] = row ? periodsOfRows([row]) : [];
      if (!row || !period) continue;
      const ids = Uint32Array.from(period.aggregates.keys());
      const values = Float64Array.from(period.aggregates.values(), ({ sum, count }) => sum / count);
      return { at: Math.min(at, row.at + resolution.seconds), ids, values };
    }
  return undefined;
}

/** Some values of the last message or bucket by a moment. A value that it does not have is NaN. */
export interface ValuesAt {
  /** Unix seconds. */
  at: number;
  values: readonly number[];
}

/** Reads the last values of many hosts, one after the other: it decodes only some columns of a block. */
export class LastValues {
  readonly #memo = new LayoutMemo();

  constructor(
    private readonly db: Db,
    private readonly at: number,
  ) {}

  /** @param ids of statistics; the values have their order */
  of(hostId: number, ids: readonly number[]): ValuesAt | undefined {
    const loose = looseSampleAt(this.db, hostId, this.at);
    if (loose) {
      const byId = new Map(Array.from(loose.ids, (id, i) => [id, loose.values[i] ?? Number.NaN]));
      return { at: loose.at, values: ids.map((id) => byId.get(id) ?? Number.NaN) };
    }
    return this.#measured(hostId, ids) ?? this.#summedUp(hostId, ids);
  }

  #measured(hostId: number, ids: readonly number[]): ValuesAt | undefined {
    const positions = new Map(ids.map((id, i) => [id, i]));
    for (const { payload } of blocksBefore(this.db, hostId, RAW, this.at)) {
      const { times, columns } = decodeColumns(payload, positions, this.#memo);
      const r = times.findLastIndex((time) => time <= this.at);
      if (r >= 0) return { at: times[r] ?? 0, values: ids.map((_, i) => columns[i]?.[r] ?? Number.NaN) };
    }
    return undefined;
  }

  #summedUp(hostId: number, ids: readonly number[]): ValuesAt | undefined {
    const positions = new Map<number, number>();
    for (const id of ids) {
      const [, sum = 0, , count = 0] = columnsOf(id);
      positions.set(sum, positions.size).set(count, positions.size);
    }
    for (const resolution of [FIVE_MINUTES, HOURLY])
      for (const { payload } of blocksBefore(this.db, hostId, resolution, this.at)) {
        const { times, columns } = decodeColumns(payload, positions, this.#memo);
        const r = times.findLastIndex((time) => time <= this.at);
        if (r < 0) continue;
        const meanOf = (_: number, i: number) =>
          (columns[2 * i]?.[r] ?? Number.NaN) / (columns[2 * i + 1]?.[r] ?? Number.NaN);
        return { at: Math.min(this.at, (times[r] ?? 0) + resolution.seconds), values: ids.map(meanOf) };
      }
    return undefined;
  }
}

/** When hosts reported last by a moment, unix seconds. Hosts of which that is not stored are left out. */
export function lastReports(db: Db, hostIds: Iterable<number>, at: number): Map<number, number> {
  const last = new LastValues(db, at);
  return new Map(
    [...hostIds].flatMap((id) => {
      const found = last.of(id, []);
      return found ? [[id, found.at]] : [];
    }),
  );
}
