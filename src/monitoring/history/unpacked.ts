/**
 * Samples of the hour that is not packed yet. At a moment in the past: of the hour that was not packed then, while its
 * samples are kept.
 */
import type { Db } from "../../platform/storage/open.ts";
import { historyOf, pastOf } from "../past/past.ts";
import type { Interval } from "../uptime/intervals.ts";
import { type BlockRow, decodeBlock } from "./block.ts";
import { getBlock, looseSamples } from "./history.repository.ts";
import { RAW, startOf } from "./resolutions.ts";

/** Unpacked samples, and which blocks may be read besides them. */
export interface Unpacked {
  /** In order of time. */
  samples: BlockRow[];
  /** Blocks of means that begin at this time or later contain what came after the moment. Unix seconds. */
  blocksBefore: number;
}

/** The unpacked samples of a host within a window. */
export function unpackedSamples(db: Db, hostId: number, { from, to }: Interval): Unpacked {
  const past = pastOf(db);
  const history = historyOf(db);
  if (!past) return { samples: looseSamples(history, hostId, { from, to }), blocksBefore: Infinity };
  const hour = startOf(past.at, RAW.blockSpan);
  const block = to > hour ? getBlock(history, hostId, RAW, hour) : undefined;
  const packed = block ? decodeBlock(block).filter(({ at }) => at >= from && at < to) : [];
  const samples = [...packed, ...looseSamples(history, hostId, { from, to })];
  return { samples, blocksBefore: block ? hour : Infinity };
}
