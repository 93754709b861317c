/** Finds the items of a file that are stored already, so that an import leaves them as they are. */
import { isDeepStrictEqual } from "node:util";
import type { Items, Placed, Section, TransferDependencies } from "./section.ts";

function hasSecrets(document: unknown): boolean {
  return (
    typeof document === "object" && document !== null && "secrets" in document && document.secrets === true
  );
}

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

/** Whether an imported item was stored as in the file. Called in the order of the import. */
type IsStored = (
  section: Section<unknown>,
  placed: Placed<unknown>,
  imported: TransferDependencies,
) => boolean;

/**
 * Compares the items of a document with what is stored before their import.
 * @param stored the parts over the database before the import
 */
export function storedItems(document: unknown, items: Items, stored: TransferDependencies): IsStored {
  const withSecrets = hasSecrets(document);
  const bySection = new Map(
    items.map(([section]) => {
      const settled = section.settledItems?.(stored) ?? section.exportItems(stored, withSecrets);
      return [section, comparison(section, settled)];
    }),
  );
  return (section, placed, imported) =>
    bySection.get(section)?.(placed, () => section.completed?.(imported, placed.item)) ?? false;
}
