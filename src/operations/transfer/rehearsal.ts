/** A whole import on a copy of the configuration: it finds every error, and the changes of the import. */
import { isDeepStrictEqual } from "node:util";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Db } from "../../platform/storage/open.ts";
import { copyOfConfiguration } from "./configuration-copy.ts";
import type {
  Importer,
  ImportOutcome,
  ImportResult,
  Placed,
  Section,
  TransferDependencies,
} from "./section.ts";
import { documentIn, type Items, itemsOf, Transfer } from "./transfer.service.ts";

/** Builds the parts of exports and imports over a database. Provided by the composition root. */
export type PartsOver = (db: Db, box: SecretBox) => TransferDependencies;

/** An item that an import must write. */
export interface ImportWrite extends Placed<unknown> {
  section: string;
}

export interface ImportRehearsal {
  /** The result for each section. */
  results: Record<string, ImportResult>;
  /** The differences from what is stored, in the order of the import. */
  writes: ImportWrite[];
}

function hasSecrets(document: unknown): boolean {
  return (
    typeof document === "object" && document !== null && "secrets" in document && document.secrets === true
  );
}

/** Whether an imported item of a section was stored as in the file. Called in the order of the import. */
type Comparison = (placed: Placed<unknown>, completed: () => unknown) => boolean;

function comparison(section: Section<unknown>, stored: readonly unknown[]): Comparison {
  const keyOf = section.keyOf ?? section.nameOf;
  const items = new Map(stored.map((item, i) => [keyOf(item), { item, place: i + 1 }]));
  let isInOrder = true;
  return ({ item, place }, completed) => {
    const previous = items.get(keyOf(item));
    const isSame =
      previous !== undefined &&
      (isDeepStrictEqual(item, previous.item) || isDeepStrictEqual(completed(), previous.item));
    // Moving an item also moves those after it.
    isInOrder &&= isSame && previous.place === place;
    return section.isOrdered ? isInOrder : isSame;
  };
}

/**
 * Rehearses the import of a file against the database of the connection.
 * @param dataFolder path of the folder into which backups must not go; null without one
 * @throws ApiError 400, 409 that says where in the file the error is, 403 for what the importer may not change
 */
export function rehearse(
  db: Db,
  partsOver: PartsOver,
  file: Uint8Array,
  box: SecretBox,
  dataFolder: string | null,
  importer: Importer,
): ImportRehearsal {
  const document = documentIn(file);
  const items = itemsOf(document);
  const isStored = comparisons(items, partsOver(db, box), hasSecrets(document));
  const copy = copyOfConfiguration(db);
  try {
    const parts = partsOver(copy, box);
    const writes: ImportWrite[] = [];
    const outcomeOf = (section: Section<unknown>, placed: Placed<unknown>, outcome: ImportOutcome) => {
      const completed = () => section.completed?.(parts, placed.item);
      if (isStored(section, placed, completed)) return outcome === "updated" ? "same" : outcome;
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

function comparisons(items: Items, stored: TransferDependencies, withSecrets: boolean) {
  const bySection = new Map(
    items.map(([section]) => {
      const settled = section.settledItems?.(stored) ?? section.exportItems(stored, withSecrets);
      return [section, comparison(section, settled)];
    }),
  );
  return (section: Section<unknown>, ...compared: Parameters<Comparison>) =>
    bySection.get(section)?.(...compared) ?? false;
}
