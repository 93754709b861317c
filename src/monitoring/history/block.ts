/**
 * Encodes many samples of a host as one block, a single database value. A block is self-contained: it lists
 * the ids of its statistics. Encoding is lossless, even if rows have different statistics.
 */
import { ByteReader, ByteWriter } from "./bytes.ts";
import { readColumn, skipColumn, writeColumn } from "./column.ts";

/** First byte of a block: version of the format. */
const VERSION = 1;
/** Position of the CRC-32 of the bytes that follow it. */
const CHECKSUM_AT = 1;
const HEAD_BYTES = 5;
const ZSTD_LEVEL = 3;

/** Ids of columns: a set, or the keys of a map. */
export type ColumnIds = Pick<ReadonlySet<number>, "has">;

/** The values of one message, or the aggregates of one period. */
export interface BlockRow {
  /** Unix seconds. */
  at: number;
  /** Ids of the columns, in the order of the row. Rows of the same layout share the array. */
  ids: Uint32Array;
  values: Float64Array;
}

function writeNumbers(writer: ByteWriter, numbers: Iterable<number>): void {
  let before = 0;
  for (const n of numbers) {
    writer.signed(n - before);
    before = n;
  }
}

function readNumbers(reader: ByteReader, count: number): number[] {
  const numbers: number[] = [];
  for (let i = 0, n = 0; i < count; i++) {
    n += reader.signed();
    numbers.push(n);
  }
  return numbers;
}

function sameNumbers(a: Uint32Array, b: Uint32Array): boolean {
  return a === b || (a.length === b.length && a.every((n, i) => n === b[i]));
}

/** The distinct layouts of the rows, and the index of each row's layout. */
function layoutsOf(rows: readonly BlockRow[]): { layouts: Uint32Array[]; layoutOfRow: number[] } {
  const layouts: Uint32Array[] = [];
  const layoutOfRow = rows.map(({ ids }) => {
    const index = layouts.findIndex((layout) => sameNumbers(layout, ids));
    return index === -1 ? layouts.push(ids) - 1 : index;
  });
  return { layouts, layoutOfRow };
}

/** The values of each column, from the rows that have it. */
function columnsOf(rows: readonly BlockRow[]): Map<number, number[]> {
  const columns = new Map<number, number[]>();
  for (const { ids, values } of rows)
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] ?? 0;
      const column = columns.get(id);
      if (column) column.push(values[i] ?? 0);
      else columns.set(id, [values[i] ?? 0]);
    }
  return columns;
}

/** Encodes rows as a block. @param rows in order of time */
export function encodeBlock(rows: readonly BlockRow[]): Buffer {
  const { layouts, layoutOfRow } = layoutsOf(rows);
  const columns = columnsOf(rows);
  const body = new ByteWriter();
  body.unsigned(rows.length);
  writeColumn(
    body,
    Float64Array.from(rows, ({ at }) => at),
  );
  body.unsigned(layouts.length);
  for (const layout of layouts) {
    body.unsigned(layout.length);
    writeNumbers(body, layout);
  }
  if (layouts.length > 1) writeNumbers(body, layoutOfRow);
  for (const values of columns.values()) writeColumn(body, Float64Array.from(values));
  const packed = Bun.zstdCompressSync(body.finish(), { level: ZSTD_LEVEL });
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUInt32LE(Bun.hash.crc32(packed), CHECKSUM_AT);
  return Buffer.concat([head, packed]);
}

/**
 * The layout of the last block. Nearly all blocks of a host share one layout, and reading its hundreds of ids takes
 * as long as a few columns.
 */
export class LayoutMemo {
  #bytes = new Uint8Array();
  #layouts: readonly number[][] = [];

  /** Reads the layouts of a block. */
  read(reader: ByteReader): readonly number[][] {
    if (this.#bytes.length > 0 && reader.skipIfEqual(this.#bytes)) return this.#layouts;
    const start = reader.at;
    this.#layouts = readLayouts(reader);
    this.#bytes = reader.since(start);
    return this.#layouts;
  }
}

function readLayouts(reader: ByteReader): number[][] {
  const layouts: number[][] = [];
  for (let remaining = reader.unsigned(); remaining > 0; remaining--)
    layouts.push(readNumbers(reader, reader.unsigned()));
  return layouts;
}

/** A block whose columns come next in `reader`. */
interface OpenBlock {
  reader: ByteReader;
  /** Times of the rows, unix seconds. */
  times: Float64Array;
  layouts: readonly number[][];
  /** The index of each row's layout; null if there is one layout. */
  layoutOfRow: readonly number[] | null;
  /** The columns in the order in which they are stored. */
  stored: readonly number[];
  /** The number of rows that have a column; null if all rows have all columns. */
  lengths: ReadonlyMap<number, number> | null;
}

/** Whether a block is as it was written, according to its checksum. */
export function isIntact(block: Uint8Array): boolean {
  if (block.length < HEAD_BYTES || block[0] !== VERSION) return false;
  const stored = new DataView(block.buffer, block.byteOffset).getUint32(CHECKSUM_AT, true);
  return stored === Bun.hash.crc32(block.subarray(HEAD_BYTES));
}

/** @throws if the block is damaged */
function openBlock(block: Uint8Array, memo?: LayoutMemo): OpenBlock {
  if (block[0] !== VERSION) throw new Error(`a stored block has an unknown version ${block[0]}`);
  // Without a checksum, a flipped bit would usually decode to wrong numbers without an error.
  if (!isIntact(block)) throw new Error("a stored block is damaged");
  const reader = new ByteReader(Bun.zstdDecompressSync(block.subarray(HEAD_BYTES)));
  const rowCount = reader.unsigned();
  const times = readColumn(reader, rowCount);
  const layouts = memo ? memo.read(reader) : readLayouts(reader);
  const [only = []] = layouts;
  if (layouts.length === 1) return { reader, times, layouts, layoutOfRow: null, stored: only, lengths: null };
  const layoutOfRow = readNumbers(reader, layouts.length === 0 ? 0 : rowCount);
  const rowsOfLayout = layouts.map((_, l) => layoutOfRow.filter((layout) => layout === l).length);
  const lengths = new Map<number, number>();
  // Columns are stored in order of their first appearance in the layouts.
  for (const [l, layout] of layouts.entries())
    for (const id of layout) lengths.set(id, (lengths.get(id) ?? 0) + (rowsOfLayout[l] ?? 0));
  return { reader, times, layouts, layoutOfRow, stored: [...lengths.keys()], lengths };
}

/**
 * Decodes a block to its rows, in order of time.
 * @param columnIds ids of the columns to decode; the rows lack the others. All if undefined
 * @throws if the block is damaged
 */
export function decodeBlock(block: Uint8Array, columnIds?: ColumnIds): BlockRow[] {
  const { reader, times, layouts, layoutOfRow, stored, lengths } = openBlock(block);
  const columns = new Map<number, { values: Float64Array; next: number }>();
  for (const id of stored) {
    const length = lengths?.get(id) ?? times.length;
    if (columnIds && !columnIds.has(id)) skipColumn(reader, length);
    else columns.set(id, { values: readColumn(reader, length), next: 0 });
  }
  const wantedLayouts = layouts.map((layout) => Uint32Array.from(layout.filter((id) => columns.has(id))));
  return Array.from(times, (at, r) => {
    const ids = wantedLayouts[layoutOfRow?.[r] ?? 0] ?? new Uint32Array();
    const values = new Float64Array(ids.length);
    for (let i = 0; i < ids.length; i++) {
      const column = columns.get(ids[i] ?? 0);
      if (column) values[i] = column.values[column.next++] ?? 0;
    }
    return { at, ids, values };
  });
}

/** Some columns of a block, with a value for each of its rows: NaN where a row lacks the column. */
export interface BlockColumns {
  /** Times of the rows, unix seconds, ascending. */
  times: Float64Array;
  /** In the order in which they were requested. */
  columns: readonly Float64Array[];
}

/** The values of a column that only rows of some layouts have, with NaN for the other rows. */
function spread(values: Float64Array, id: number, { layouts, layoutOfRow, times }: OpenBlock): Float64Array {
  const hasIt = layouts.map((layout) => layout.includes(id));
  let next = 0;
  return times.map((_, r) => (hasIt[layoutOfRow?.[r] ?? 0] ? (values[next++] ?? Number.NaN) : Number.NaN));
}

/**
 * Decodes some columns of a block without building its rows, which takes a third of the time.
 * @param positions the ids of the columns, with their positions in the result
 * @param memo for blocks that are read one after the other
 * @throws if the block is damaged
 */
export function decodeColumns(
  block: Uint8Array,
  positions: ReadonlyMap<number, number>,
  memo?: LayoutMemo,
): BlockColumns {
  const open = openBlock(block, memo);
  const { reader, times, stored, lengths } = open;
  const columns: Float64Array[] = [];
  let remaining = positions.size;
  for (const id of stored) {
    if (remaining === 0) break;
    const length = lengths?.get(id) ?? times.length;
    const position = positions.get(id);
    if (position === undefined) {
      skipColumn(reader, length);
      continue;
    }
    const values = readColumn(reader, length);
    columns[position] = length === times.length ? values : spread(values, id, open);
    remaining--;
  }
  if (remaining > 0) {
    const noValues = new Float64Array(times.length).fill(Number.NaN);
    for (const position of positions.values()) columns[position] ??= noValues;
  }
  return { times, columns };
}

/** Whether two lists of rows are identical, bit for bit. */
export function sameRows(a: readonly BlockRow[], b: readonly BlockRow[]): boolean {
  const bits = (values: Float64Array) => new BigUint64Array(values.buffer, values.byteOffset, values.length);
  return (
    a.length === b.length &&
    a.every((row, r) => {
      const other = b[r];
      if (!other || row.at !== other.at || !sameNumbers(row.ids, other.ids)) return false;
      const valuesA = bits(row.values);
      const valuesB = bits(other.values);
      return valuesA.every((value, i) => value === valuesB[i]);
    })
  );
}
