import { isIntact } from "../../monitoring/history/block.ts";
import { idsOf } from "../../monitoring/history/history.repository.ts";
import { unpackValues } from "../../monitoring/history/sample-values.ts";
import type { Db } from "../../platform/storage/open.ts";
import { counted } from "../../platform/text.ts";
import type { DoctorFinding } from "./finding.ts";
import {
  type BlockKey,
  blocksAfter,
  deleteBlock,
  deleteSample,
  hostnamesOf,
  samplesAfter,
} from "./past-values.repository.ts";

/** Blocks of all hosts whose content does not match their checksum. */
function damagedBlocks(db: Db): BlockKey[] {
  const damaged: BlockKey[] = [];
  for (let last: BlockKey = { hostId: 0, resolution: 0, start: 0 }; ; ) {
    const blocks = blocksAfter(db, last);
    for (const { payload, ...key } of blocks) {
      if (!isIntact(payload)) damaged.push(key);
      last = key;
    }
    if (blocks.length === 0) return damaged;
  }
}

/** Whether stored values can be read, and are as many as the statistics that they are of. */
function fits(values: Uint8Array, statisticIds: Uint8Array): boolean {
  try {
    return unpackValues(values).length === idsOf(statisticIds).length;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Samples of all hosts whose values do not fit their statistics. */
function damagedSamples(db: Db): { hostId: number; id: number }[] {
  const damaged: { hostId: number; id: number }[] = [];
  for (let last = 0; ; ) {
    const samples = samplesAfter(db, last);
    for (const { id, hostId, values, statisticIds } of samples) {
      if (!fits(values, statisticIds)) damaged.push({ hostId, id });
      last = id;
    }
    if (samples.length === 0) return damaged;
  }
}

/** A finding for each host. @param noun what is damaged @param remove deletes one of it */
function findingsByHost<T extends { hostId: number }>(
  db: Db,
  noun: string,
  damaged: readonly T[],
  remove: (one: T) => void,
): DoctorFinding[] {
  if (damaged.length === 0) return [];
  const byHost = Map.groupBy(damaged, ({ hostId }) => hostId);
  const hostnames = hostnamesOf(db, [...byHost.keys()]);
  return [...byHost].map(([hostId, rows]) => ({
    sentence:
      `${counted(rows.length, noun)} of past values of ${hostnames.get(hostId) ?? `host ${hostId}`}` +
      ` ${rows.length === 1 ? "is" : "are"} damaged. Restore a backup, or let muster doctor --repair delete` +
      ` ${rows.length === 1 ? "it" : "them"}.`,
    repair: () => {
      for (const row of rows) remove(row);
    },
  }));
}

/**
 * Checks the checksums of all packed values, and whether the others can be read. SQLite returns what is in a value as
 * it is. Nothing else has the values of a damaged block, and charts of its time cannot be read. A damaged sample keeps
 * its host's values from being packed.
 */
export function findPastValueFaults(db: Db): DoctorFinding[] {
  return [
    ...findingsByHost(db, "block", damagedBlocks(db), (block) => deleteBlock(db, block)),
    ...findingsByHost(db, "sample", damagedSamples(db), ({ id }) => deleteSample(db, id)),
  ];
}
