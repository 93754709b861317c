/** Sections of the file that hold a collection: its resource says all about them. */
import * as v from "valibot";
import { checked } from "../../platform/http/validate.ts";
import type { Collection } from "../../platform/resources/collection.ts";
import type { NamedRow } from "../../platform/resources/named.repository.ts";
import type { ContentOf, Resource } from "../../platform/resources/resource.ts";
import type { Section, TransferDependencies } from "./section.ts";

const itemSchema = v.objectWithRest({ name: v.string() }, v.unknown());
type Item = v.InferOutput<typeof itemSchema>;

/**
 * An object that lost what it was about, since that was deleted: it must not be about everything now. It is disabled, or
 * left out if it cannot be.
 */
function withoutLost(item: Item, lost: boolean): Item[] {
  if (!lost) return [item];
  return "enabled" in item ? [{ ...item, enabled: false }] : [];
}

/** @param name of the section @param of the collection among the parts of the import */
export function collectionSection<S extends Resource, Row extends NamedRow>(
  name: string,
  { content }: S,
  of: (dependencies: TransferDependencies) => Collection<S, Row>,
): Section<Item> {
  return {
    name,
    schema: itemSchema,
    nameOf: (item) => item.name,
    exportItems: (dependencies) =>
      of(dependencies)
        .contents()
        .flatMap((each) => {
          const { item, lost } = dependencies.references.named(content, each as object);
          return withoutLost(item as Item, lost);
        }),
    importItem: (dependencies, item) =>
      of(dependencies).put(checked(content, dependencies.references.withIds(content, item)) as ContentOf<S>),
  };
}
