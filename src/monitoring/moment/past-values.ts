/** The last values of hosts at or before a moment: of a message while those are kept, else of the bucket it is in. */
import { batchesOf } from "../../platform/batches.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { HIDDEN, idsIn, JOINED_IN_ORDER } from "../../platform/storage/words.ts";
import { type BlockRow, decodeBlock, decodeColumns, LayoutMemo } from "../history/block.ts";
import { idsOf } from "../history/history.repository.ts";
import { RAW, RESOLUTIONS, type Resolution } from "../history/resolutions.ts";
import { columnsOf, periodsOfRows } from "../history/rollup.ts";
import { unpackValues } from "../history/sample-values.ts";
import { asParameter, readValues } from "./moment-rows.ts";

interface Block {
  start: number;
  payload: Uint8Array;
}

const statements = prepareOnce((db) => ({
  blockBefore: db.$client.prepare<Block, [number, number, number]>(
    `select start, payload from history_blocks where host_id = ? and resolution = ${HIDDEN}? and start <= ?
     order by start desc limit 1`,
  ),
  blockWithin: db.$client.prepare<{ start: number }, [number, number, number, number]>(
    `select start from history_blocks where host_id = ? and resolution = ${HIDDEN}? and start >= ? and start <= ? limit 1`,
  ),
}));

/** Reads the block before another one of a host. Needed if all rows of that one are later than the moment. */
function previous<T>(
  db: Db,
  hostId: number,
  { seconds }: Resolution,
  { start }: Block,
  read: (block: Block) => T | undefined,
): T | undefined {
  const block = statements(db).blockBefore.get(hostId, seconds, start - 1);
  return block ? read(block) : undefined;
}

/** The last unpacked samples of hosts by a moment. */
function looseSamplesAt(db: Db, hostIds: readonly number[], at: number): { hostId: number; row: BlockRow }[] {
  const rows = readValues(
    db,
    `select s.host_id, s.at, l.statistic_ids, s."values"
     from ${idsIn("?1")} as h
     ${JOINED_IN_ORDER} samples s on s.id = (
       select id from samples where host_id = h.value and at <= ?2 order by at desc, id desc limit 1
     )
     join sample_layouts l on l.id = s.layout_id`,
    asParameter(hostIds),
    at,
  );
  return rows.map(([hostId, sampledAt, ids, values]) => ({
    hostId: Number(hostId),
    row: { at: Number(sampledAt), ids: idsOf(ids as Uint8Array), values: unpackValues(values as Uint8Array) },
  }));
}

/** The last block of each host that begins by the moment. Hosts without one are left out. */
function lastBlocks(
  db: Db,
  hostIds: readonly number[],
  { seconds }: Resolution,
  at: number,
): (Block & { hostId: number })[] {
  const rows = readValues(
    db,
    `select b.host_id, b.start, b.payload
     from ${idsIn("?1")} as h
     ${JOINED_IN_ORDER} history_blocks b on b.host_id = h.value and b.resolution = ${HIDDEN}?2 and b.start = (
       select start from history_blocks where host_id = h.value and resolution = ${HIDDEN}?2 and start <= ?3
       order by start desc limit 1
     )`,
    asParameter(hostIds),
    seconds,
    at,
  );
  return rows.map(([hostId, start, payload]) => ({
    hostId: Number(hostId),
    start: Number(start),
    payload: payload as Uint8Array,
  }));
}

/** All values of the last message, or of the last bucket, by the moment; undefined if nothing is stored. */
export function rowAt(db: Db, hostId: number, at: number): BlockRow | undefined {
  const [loose] = looseSamplesAt(db, [hostId], at);
  if (loose) return loose.row;
  for (const resolution of RESOLUTIONS) {
    const [last] = lastBlocks(db, [hostId], resolution, at);
    const lastRow = ({ payload }: Block) => decodeBlock(payload).findLast((candidate) => candidate.at <= at);
    const row = last && (lastRow(last) ?? previous(db, hostId, resolution, last, lastRow));
    if (!row) continue;
    if (resolution.seconds === RAW.seconds) return row;
    const [period] = periodsOfRows([row]);
    if (!period) continue;
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

/** Hosts whose rows are read by one statement. A block has some kilobytes. */
const HOSTS_AT_ONCE = 500;

/**
 * The last values of hosts by a moment. It decodes only some columns of a block.
 * @param wanted ids of statistics by host; the values have their order
 * @returns by host; hosts without stored values are left out
 */
export function lastValues(
  db: Db,
  at: number,
  wanted: ReadonlyMap<number, readonly number[]>,
): Map<number, ValuesAt> {
  const valuesByHost = new Map<number, ValuesAt>();
  const memo = new LayoutMemo();
  for (const some of batchesOf([...wanted.keys()], HOSTS_AT_ONCE)) {
    for (const { hostId, row } of looseSamplesAt(db, some, at))
      valuesByHost.set(hostId, { at: row.at, values: valuesOf(row, wanted.get(hostId) ?? []) });
    for (const resolution of RESOLUTIONS) {
      const missing = some.filter((id) => !valuesByHost.has(id));
      for (const { hostId, ...last } of lastBlocks(db, missing, resolution, at)) {
        const ids = wanted.get(hostId) ?? [];
        const valuesIn = ({ payload }: Block) => lastValuesIn(payload, ids, resolution, at, memo);
        const values = valuesIn(last) ?? previous(db, hostId, resolution, last, valuesIn);
        if (values) valuesByHost.set(hostId, values);
      }
    }
  }
  return valuesByHost;
}

function valuesOf({ ids, values }: BlockRow, wanted: readonly number[]): number[] {
  const byId = new Map(Array.from(ids, (id, i) => [id, values[i] ?? Number.NaN]));
  return wanted.map((id) => byId.get(id) ?? Number.NaN);
}

/** The values of the last row of a block by a moment; undefined if all its rows are later. */
function lastValuesIn(
  payload: Uint8Array,
  ids: readonly number[],
  { seconds }: Resolution,
  at: number,
  memo: LayoutMemo,
): ValuesAt | undefined {
  const isMeasured = seconds === RAW.seconds;
  const columnIds = isMeasured
    ? ids
    : ids.flatMap((id) => {
        const [, sum = 0, , count = 0] = columnsOf(id);
        return [sum, count];
      });
  const positions = new Map(columnIds.map((id, i) => [id, i]));
  const { times, columns } = decodeColumns(payload, positions, memo);
  const r = times.findLastIndex((time) => time <= at);
  if (r < 0) return undefined;
  const valueAt = (i: number) => columns[i]?.[r] ?? Number.NaN;
  return {
    at: Math.min(at, (times[r] ?? 0) + seconds),
    values: ids.map((_, i) => (isMeasured ? valueAt(i) : valueAt(2 * i) / valueAt(2 * i + 1))),
  };
}

/**
 * Whether a host certainly reported from one time on and by another, unix seconds: a block begins and ends between
 * them. No block is read. False does not mean that it did not report.
 */
export function surelyReported(db: Db, hostId: number, from: number, by: number): boolean {
  return RESOLUTIONS.some(
    ({ seconds, blockSpan }) =>
      statements(db).blockWithin.get(hostId, seconds, from, by - blockSpan) !== null,
  );
}

/** When hosts reported last by a moment, unix seconds. Hosts without stored values are left out. */
export function lastReports(db: Db, hostIds: Iterable<number>, at: number): Map<number, number> {
  const last = lastValues(db, at, new Map([...hostIds].map((id) => [id, []])));
  return new Map([...last].map(([id, lastValue]) => [id, lastValue.at]));
}
