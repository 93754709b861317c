/** Samples put directly into the database, with a copy of each beside it, and everything read back as bits. */
import { type BlockRow, decodeBlock } from "../../../src/monitoring/history/block.ts";
import { Compaction } from "../../../src/monitoring/history/compaction.service.ts";
import { looseSamples } from "../../../src/monitoring/history/history.repository.ts";
import { insertSample, layoutsOf } from "../../../src/monitoring/ingest/samples.repository.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

/** START is at noon. */
export const DAY_START = START - 43_200;
export const HOUR = 3600;

/** A row to the last bit, as text. */
export function bitsOf({ at, ids, values }: BlockRow): string {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return `${at} [${ids.join(" ")}] ${bytes.toString("hex")}`;
}

export class HistoryFixture {
  /** What was stored, in this order, by host. */
  readonly shadow = new Map<number, BlockRow[]>();

  constructor(readonly app = new TestApp()) {}

  /** A host that has reported nothing but its existence. @returns its id */
  async addHost(name: string): Promise<number> {
    await this.app.report({ id: name, hostname: name });
    const id = this.app.rows<{ id: number }>(`select id from hosts where agent_id = '${name}'`)[0]?.id ?? -1;
    this.app.db.$client.run(`delete from samples where host_id = ${id}`);
    return id;
  }

  addSample(hostId: number, at: number, ids: readonly number[], values: Float64Array): void {
    const { db } = this.app;
    const row: BlockRow = { at, ids: Uint32Array.from(ids), values: values.slice() };
    const [layout] = layoutsOf(db, [{ hostId, statisticIds: row.ids, isNew: false, isFirst: false }]);
    insertSample(db, { hostId, layoutId: layout?.id ?? 0, at, values: values.slice() });
    const samples = this.shadow.get(hostId);
    if (samples) samples.push(row);
    else this.shadow.set(hostId, [row]);
  }

  /** What was stored, as it must be read. Rows of one second keep the order in which they were stored. */
  shadowBits(hostId: number): string[] {
    return (this.shadow.get(hostId) ?? []).toSorted((a, b) => a.at - b.at).map(bitsOf);
  }

  blocks(hostId: number, resolution: number): { start: number; rows: BlockRow[] }[] {
    return this.app
      .rows<{ start: number; payload: Buffer }>(
        `select start, payload from history_blocks where host_id = ${hostId} and resolution = ${resolution} order by start`,
      )
      .map(({ start, payload }) => ({ start, rows: decodeBlock(payload) }));
  }

  /** All samples of a host, packed and loose, in order of time. */
  storedBits(hostId: number): string[] {
    const loose = looseSamples(this.app.db, hostId, { from: 0, to: Number.MAX_SAFE_INTEGER });
    const packed = this.blocks(hostId, 0).flatMap(({ rows }) => rows);
    return [...packed, ...loose].sort((a, b) => a.at - b.at).map(bitsOf);
  }

  /** @param monotonic milliseconds; by default a clock that stands still, so that a step does all the work */
  compaction(monotonic: () => number = () => 0): Compaction {
    const { db, settings, clock, muster } = this.app;
    return new Compaction({ db, settings, clock, log: muster.log, monotonic });
  }

  /** Packs everything that can be packed. */
  pack(): void {
    runToEnd(this.compaction());
  }
}

/** @returns how many steps it took. @throws when it does not end */
export function runToEnd(compaction: Compaction): number {
  for (let steps = 1; steps <= 10_000; steps++) if (!compaction.step()) return steps;
  throw new Error("compaction does not end");
}
