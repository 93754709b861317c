import { isIntact } from "../../monitoring/history/block.ts";
import type { Db } from "../../platform/storage/open.ts";
import { counted } from "../../platform/text.ts";
import { type BlockKey, blocksAfter, deleteBlock, hostnamesOf } from "./blocks.repository.ts";
import type { DoctorFinding } from "./finding.ts";

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

/**
 * Checks the checksums of all packed values. The engine stores what is in a value as it is, so only these tell that it
 * has changed. Nothing else has the values of a damaged block, and it keeps the charts of its time from being read.
 */
export function findBlockFaults(db: Db): DoctorFinding[] {
  const byHost = Map.groupBy(damagedBlocks(db), ({ hostId }) => hostId);
  if (byHost.size === 0) return [];
  const hostnames = hostnamesOf(db, [...byHost.keys()]);
  return [...byHost].map(([hostId, blocks]) => ({
    sentence:
      `${counted(blocks.length, "block")} of past values of ${hostnames.get(hostId) ?? `host ${hostId}`}` +
      ` ${blocks.length === 1 ? "is" : "are"} damaged. Restore a backup, or let muster doctor --repair delete` +
      ` ${blocks.length === 1 ? "it" : "them"}.`,
    repair: () => {
      for (const block of blocks) deleteBlock(db, block);
    },
  }));
}
