/** Copies the history of one host to others, a hundred times faster than receiving and packing it. */
import { ByteReader, ByteWriter } from "../../src/monitoring/history/bytes.ts";
import { readColumn } from "../../src/monitoring/history/column.ts";
import { RAW } from "../../src/monitoring/history/resolutions.ts";
import { columnsOf } from "../../src/monitoring/history/rollup.ts";
import { type Db, transaction } from "../../src/platform/storage/open.ts";

/** Start of a block: its version and the checksum of the rest (see `history/block.ts`). */
const HEAD_BYTES = 5;
const CHECKSUM_AT = 1;
const ZSTD_LEVEL = 3;

interface Layout {
  id: number;
  statisticIds: Uint32Array;
}

/** The layout of a host's newest sample. */
function layoutOf(db: Db, hostId: number): Layout {
  const row = db.$client
    .query<{ id: number; ids: Uint8Array }, [number]>(
      `select l.id, l.statistic_ids as ids from samples s join sample_layouts l on l.id = s.layout_id
       where s.host_id = ? order by s.at desc limit 1`,
    )
    .get(hostId);
  if (!row) throw new Error(`host ${hostId} has no sample`);
  return { id: row.id, statisticIds: new Uint32Array(new Uint8Array(row.ids).buffer) };
}

/** The same block with other column ids. */
function renamed(block: Uint8Array, ids: ReadonlyMap<number, number>): Buffer {
  const body = Bun.zstdDecompressSync(block.subarray(HEAD_BYTES));
  const reader = new ByteReader(body);
  readColumn(reader, reader.unsigned());
  const times = reader.since(0);
  const layouts = new ByteWriter();
  const count = reader.unsigned();
  layouts.unsigned(count);
  for (let layout = 0; layout < count; layout++) {
    const columns = reader.unsigned();
    layouts.unsigned(columns);
    let [before, written] = [0, 0];
    for (let i = 0; i < columns; i++) {
      before += reader.signed();
      const id = ids.get(before);
      if (id === undefined) throw new Error(`a block has the column ${before}, which its host has not`);
      layouts.signed(id - written);
      written = id;
    }
  }
  const rest = body.subarray(reader.at);
  const packed = Bun.zstdCompressSync(Buffer.concat([times, layouts.finish(), rest]), { level: ZSTD_LEVEL });
  const head = Buffer.from(block.subarray(0, HEAD_BYTES));
  head.writeUInt32LE(Bun.hash.crc32(packed), CHECKSUM_AT);
  return Buffer.concat([head, packed]);
}

/**
 * Copies the history of a host to others, which have reported the same statistics in the same order, and have no
 * history.
 * @param within only the blocks that begin in this time, unix seconds
 */
export function copyHistory(
  db: Db,
  from: number,
  others: readonly number[],
  within = { from: 0, to: Number.MAX_SAFE_INTEGER },
): void {
  const source = layoutOf(db, from);
  const blocks = db.$client
    .query<{ resolution: number; start: number; payload: Uint8Array }, [number, number, number]>(
      "select resolution, start, payload from history_blocks where host_id = ? and start >= ? and start < ?",
    )
    .all(from, within.from, within.to);
  const insert = db.$client.query(
    "insert into history_blocks (host_id, resolution, start, payload) values (?, ?, ?, ?)",
  );
  const loose = db.$client.query(
    `insert into samples (host_id, layout_id, at, "values")
     select ?1, ?2, at, "values" from samples where host_id = ?3
       and at < (select min(at) from samples where host_id = ?1)`,
  );
  for (const to of others) {
    const target = layoutOf(db, to);
    const ids = new Map(Array.from(source.statisticIds, (id, i) => [id, target.statisticIds[i] ?? 0]));
    const columns = new Map(
      [...ids].flatMap(([id, other]) => {
        const theirs = columnsOf(other);
        return columnsOf(id).map((column, part) => [column, theirs[part] ?? 0] as const);
      }),
    );
    transaction(db, () => {
      loose.run(to, target.id, from);
      for (const { resolution, start, payload } of blocks)
        insert.run(to, resolution, start, renamed(payload, resolution === RAW.seconds ? ids : columns));
    });
  }
}
