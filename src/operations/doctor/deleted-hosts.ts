import { isReadable } from "../../monitoring/hosts/stored-rows.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { counted } from "../../platform/text.ts";
import { deletePackedRows, isHostItself, packedRowsAfter } from "./deleted-hosts.repository.ts";
import type { DoctorFinding } from "./finding.ts";

interface Damaged {
  id: number;
  hostId: number;
  hostname: string;
  source: string;
}

function damagedRows(db: Db): Damaged[] {
  const damaged: Damaged[] = [];
  for (let last = 0; ; ) {
    const stored = packedRowsAfter(db, last);
    for (const { payload, ...row } of stored) {
      if (!isReadable(payload)) damaged.push(row);
      last = row.id;
    }
    if (stored.length === 0) return damaged;
  }
}

function findingOf(db: Db, hostname: string, damaged: readonly Damaged[]): DoctorFinding {
  if (damaged.some(({ source }) => isHostItself(source)))
    return {
      sentence: `The deleted host ${hostname} is damaged, and cannot be restored. Restore a backup, or delete it for good.`,
      repair: null,
    };
  const [are, them] = damaged.length === 1 ? ["is", "it"] : ["are", "them"];
  return {
    sentence:
      `${counted(damaged.length, "block")} of rows of the deleted host ${hostname} ${are} damaged, so that it cannot be` +
      ` restored. Restore a backup, or let muster doctor --repair delete ${them}.`,
    repair: () => {
      for (const { id } of damaged) deletePackedRows(db, id);
    },
  };
}

/**
 * Checks whether the rows of deleted hosts can be restored. A host that is being restored when one is found damaged
 * stays half restored, and its agent is refused.
 */
export function findDeletedHostFaults(db: Db): DoctorFinding[] {
  const byHost = Map.groupBy(damagedRows(db), ({ hostId }) => hostId);
  return [...byHost.values()].map((damaged) => findingOf(db, damaged[0]?.hostname ?? "", damaged));
}
