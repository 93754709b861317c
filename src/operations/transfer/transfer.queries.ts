/** The reads of exports and imports, on a thread of their own. */
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { ownerOfSeal } from "../key-rotation/sealed.repository.ts";
import { OpenedBox, type OpenedSecrets } from "./opened-secrets.ts";
import type { Importer } from "./section.ts";
import { sealedTexts } from "./transfer.repository.ts";
import { isOneStep, Transfer } from "./transfer.service.ts";
import { type ImportWrite, type PartsOver, tryImport } from "./trial-import.ts";

/** The most items that are handed over at a time, and about how many characters. */
const BATCH = { items: 200, length: 256 * 1024 };

/**
 * The queries of the thread of exports and imports. It keeps the writes of the last trial import from call
 * to call.
 */
export function transferQueries(db: Db, partsOver: PartsOver) {
  let writes: readonly ImportWrite[] = [];
  return {
    /**
     * The sealed texts that an export or a trial import opens.
     * @param withPasswords whether to include the passwords of users and agents
     */
    transferSecrets: (withPasswords: boolean) => ({ sealed: sealedTexts(db, withPasswords) }),

    /** What a sealed text is, as `ownerOfSeal` says. */
    transferOwner: (sealed: string) => ({ owner: ownerOfSeal(db.$client, sealed) }),

    transferExport: (withSecrets: boolean, now: number, opened: OpenedSecrets) =>
      new Transfer(partsOver(db, new OpenedBox(opened))).export(withSecrets, now),

    /** Tries an import, and keeps the items to write. @throws ApiError 400, 403, 409 */
    transferTrial: (
      file: Uint8Array,
      opened: OpenedSecrets,
      dataFolder: string | null,
      importer: Importer,
    ) => {
      const trial = tryImport(db, partsOver, { file, box: new OpenedBox(opened), dataFolder, importer });
      writes = trial.writes;
      return { results: trial.results, writes: writes.length };
    },

    /** The items that the tried import still has to write, from this index on; none if the trial is lost. */
    transferWrites: (from: number) => {
      const batch: ImportWrite[] = [];
      let length = 0;
      for (const [i, write] of writes.entries().drop(from)) {
        const isFull = batch.length >= BATCH.items || length >= BATCH.length;
        if (isFull && !isOneStep(writes[i - 1], write)) break;
        batch.push(write);
        length += JSON.stringify(write.item).length;
      }
      if (from + batch.length >= writes.length) writes = [];
      return { writes: batch };
    },
  };
}

export type TransferQueryList = ReturnType<typeof transferQueries>;
export type TransferQueries = AsyncQueries<TransferQueryList>;
