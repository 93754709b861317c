/** Sections of the file that hold a collection, derived from its resource. */
import * as v from "valibot";
import { checked } from "../../platform/http/validate.ts";
import type { Collection } from "../../platform/resources/collection.ts";
import type { NamedRow } from "../../platform/resources/named.repository.ts";
import type { ContentOf, Resource } from "../../platform/resources/resource.ts";
import type { Section, TransferDependencies } from "./section.ts";

/** The key of the resource identifies an item. */
const itemOf = (key: string) => v.objectWithRest({ [key]: v.string() }, v.unknown());
type Item = Record<string, unknown>;

/**
 * Items of an object whose hosts or groups were all deleted. It must not apply to everything now, so it is disabled,
 * or left out if it cannot be.
 */
function withoutLost(item: Item, isUnrestricted: boolean): Item[] {
  if (!isUnrestricted) return [item];
  return "enabled" in item ? [{ ...item, enabled: false }] : [];
}

/** @param name of the section @param of finds the collection among the parts of the import */
export function collectionSection<S extends Resource, Row extends NamedRow>(
  name: string,
  { key, content }: S,
  of: (dependencies: TransferDependencies) => Collection<S, Row>,
): Section<Item> {
  return {
    name,
    schema: itemOf(key),
    nameOf: (item) => String(item[key]),
    exportItems: (dependencies, withSecrets) =>
      of(dependencies)
        .contents(withSecrets)
        .flatMap((row) => {
          const { item, lost } = dependencies.references.named(content, row as object);
          return withoutLost(item as Item, lost);
        }),
    importItem: (dependencies, item, { place }) => {
      const withIds = dependencies.references.withIds(content, item);
      return of(dependencies).put(checked(content, withIds) as ContentOf<S>, place);
    },
  };
}
