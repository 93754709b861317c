/** A whole import on a copy of the configuration: it finds every error, and the changes of the import. */
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Db } from "../../platform/storage/open.ts";
import { storedItems } from "./comparison.ts";
import { copyOfConfiguration } from "./configuration-copy.ts";
import type {
  Importer,
  ImportOutcome,
  ImportResult,
  Placed,
  Section,
  TransferDependencies,
} from "./section.ts";
import { documentIn, itemsOf, Transfer } from "./transfer.service.ts";

/** Builds the parts of exports and imports over a database. Provided by the composition root. */
export type PartsOver = (db: Db, box: SecretBox) => TransferDependencies;

/** An item that an import must write. */
export interface ImportWrite extends Placed<unknown> {
  section: string;
}

export interface TrialImport {
  /** The result for each section. */
  results: Record<string, ImportResult>;
  /** The differences from what is stored, in the order of the import. */
  writes: ImportWrite[];
}

interface TrialArguments {
  file: Uint8Array;
  /** Opens what is sealed in the database. */
  box: SecretBox;
  /** Path of the folder into which backups must not go; null without one. */
  dataFolder: string | null;
  importer: Importer;
}

/**
 * Tries the import of a file on a copy of the configuration in the database of the connection.
 * @throws ApiError 400, 409 that says where in the file the error is, 403 for what the importer may not change
 */
export function tryImport(
  db: Db,
  partsOver: PartsOver,
  { file, box, dataFolder, importer }: TrialArguments,
): TrialImport {
  const document = documentIn(file);
  const items = itemsOf(document);
  const isStored = storedItems(document, items, partsOver(db, box));
  const copy = copyOfConfiguration(db);
  try {
    const parts = partsOver(copy, box);
    const writes: ImportWrite[] = [];
    const outcomeOf = (section: Section<unknown>, placed: Placed<unknown>, outcome: ImportOutcome) => {
      if (isStored(section, placed, parts)) return outcome === "updated" ? "same" : outcome;
      writes.push({ section: section.name, ...placed });
      return outcome;
    };
    const results = new Transfer(parts).import(items, {
      importer: { ...importer, operation: null },
      outcomeOf,
      dataFolder,
    });
    return { results, writes };
  } finally {
    copy.$client.close();
  }
}
