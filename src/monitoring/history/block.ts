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

/** The values of one message, or the aggregates of one period. */
export interface Row {
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
  let before = 0;
  return Array.from({ length: count }, () => {
    before += reader.signed();
    return before;
  });
}

function sameNumbers(a: Uint32Array, b: Uint32Array): boolean {
  return a === b || (a.length === b.length && a.every((n, i) => n === b[i]));
}

/** The distinct layouts of the rows, and the index of each row's layout. */
function layoutsOf(rows: readonly Row[]): { layouts: Uint32Array[]; layoutOfRow: number[] } {
  const layouts: Uint32Array[] = [];
  const layoutOfRow = rows.map(({ ids }) => {
    const known = layouts.findIndex((layout) => sameNumbers(layout, ids));
    return known === -1 ? layouts.push(ids) - 1 : known;
  });
  return { layouts, layoutOfRow };
}

/** The values of each column, from the rows that have it. */
function columnsOf(rows: readonly Row[]): Map<number, number[]> {
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
export function encodeBlock(rows: readonly Row[]): Buffer {
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
 * Decodes a block to its rows, in order of time.
 * @param wanted ids of the columns to decode; the rows lack the others. All if undefined
 * @throws if the block is damaged
 */
export function decodeBlock(block: Uint8Array, wanted?: ReadonlySet<number>): Row[] {
  if (block[0] !== VERSION) throw new Error(`a stored block has an unknown version ${block[0]}`);
  const packed = block.subarray(HEAD_BYTES);
  // Without a checksum, a flipped bit would usually decode to wrong numbers without an error.
  if (new DataView(block.buffer, block.byteOffset).getUint32(CHECKSUM_AT, true) !== Bun.hash.crc32(packed))
    throw new Error("a stored block is damaged");
  const reader = new ByteReader(Bun.zstdDecompressSync(packed));
  const rowCount = reader.unsigned();
  const times = readColumn(reader, rowCount);
  const layouts = Array.from({ length: reader.unsigned() }, () => readNumbers(reader, reader.unsigned()));
  const layoutOfRow =
    layouts.length > 1 ? readNumbers(reader, rowCount) : new Array<number>(rowCount).fill(0);
  const rowsOfLayout = layouts.map((_, l) => layoutOfRow.filter((layout) => layout === l).length);
  const lengths = new Map<number, number>();
  // Columns are stored in order of their first appearance in the layouts.
  for (const [l, layout] of layouts.entries())
    for (const id of layout) lengths.set(id, (lengths.get(id) ?? 0) + (rowsOfLayout[l] ?? 0));
  const columns = new Map<number, { values: Float64Array; next: number }>();
  for (const [id, length] of lengths) {
    if (wanted && !wanted.has(id)) skipColumn(reader, length);
    else columns.set(id, { values: readColumn(reader, length), next: 0 });
  }
  const kept = layouts.map((layout) => Uint32Array.from(layout.filter((id) => columns.has(id))));
  return Array.from(times, (at, r) => {
    const ids = kept[layoutOfRow[r] ?? 0] ?? new Uint32Array();
    const values = new Float64Array(ids.length);
    for (let i = 0; i < ids.length; i++) {
      const column = columns.get(ids[i] ?? 0);
      if (column) values[i] = column.values[column.next++] ?? 0;
    }
    return { at, ids, values };
  });
}

/** Whether two lists of rows are identical, bit for bit. */
export function sameRows(a: readonly Row[], b: readonly Row[]): boolean {
  const bits = (values: Float64Array) => new BigUint64Array(values.buffer, values.byteOffset, values.length);
  return (
    a.length === b.length &&
    a.every((row, r) => {
      const other = b[r];
      if (!other || row.at !== other.at || !sameNumbers(row.ids, other.ids)) return false;
      const own = bits(row.values);
      const theirs = bits(other.values);
      return own.every((value, i) => value === theirs[i]);
    })
  );
}
