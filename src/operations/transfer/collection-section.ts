/** Sections of the file that hold a collection, derived from its resource. */
import * as v from "valibot";
import { checked } from "../../platform/http/validate.ts";
import type { Collection } from "../../platform/resources/collection.ts";
import type { NamedRow } from "../../platform/resources/named.repository.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf, Resource } from "../../platform/resources/resource.ts";
import type { Section, TransferDependencies } from "./section.ts";

/** The key of the resource identifies an item. */
const itemOf = (key: string) => v.objectWithRest({ [key]: v.string() }, v.unknown());
type Item = Record<string, unknown>;

/**
 * The item of an object; undefined if it cannot be in a file. An object whose hosts or groups were all deleted must not
 * apply to everything now, so it is disabled, or left out if it cannot be.
 * @param mayBeEmpty lists that do not make the object apply to more when they are empty
 */
function itemFor(
  references: References,
  content: v.GenericSchema,
  row: object,
  mayBeEmpty: readonly string[],
): Item | undefined {
  const { item, lost } = references.named(content, row);
  if (!lost) return item;
  const emptied = mayBeEmpty.filter((field) => !(field in item));
  const kept = { ...item, ...Object.fromEntries(emptied.map((field) => [field, []])) };
  const others = Object.entries(row).filter(([field]) => !emptied.includes(field));
  if (!references.named(content, Object.fromEntries(others)).lost) return kept;
  return "enabled" in kept ? { ...kept, enabled: false } : undefined;
}

/**
 * Derives the section of a collection.
 * @param name of the section
 * @param of finds the collection among the parts of the import
 * @param mayBeEmpty lists of references that do not make an object apply to more when all that they refer to was
 * deleted
 */
export function collectionSection<S extends Resource, Row extends NamedRow>(
  name: string,
  { key, content }: S,
  of: (dependencies: TransferDependencies) => Collection<S, Row>,
  mayBeEmpty: readonly (keyof ContentOf<S> & string)[] = [],
): Section<Item> {
  const contentOf = ({ references }: TransferDependencies, item: Item) =>
    checked(content, references.withIds(content, item)) as ContentOf<S>;
  return {
    name,
    schema: itemOf(key),
    nameOf: (item) => String(item[key]),
    exportItems: (dependencies, withSecrets, leaveOut) =>
      of(dependencies)
        .contents(withSecrets)
        .flatMap((row) => {
          const item = itemFor(dependencies.references, content, row as object, mayBeEmpty);
          if (item) return [item];
          leaveOut?.(String((row as Item)[key]));
          return [];
        }),
    completed: (dependencies, item) =>
      dependencies.references.named(content, contentOf(dependencies, item) as object).item,
    importItem: (dependencies, item, { place }) => of(dependencies).put(contentOf(dependencies, item), place),
  };
}
