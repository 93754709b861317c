/** References between objects: ids in the database and the API, names in the export file. */
import type * as v from "valibot";
import { errors } from "../http/errors.ts";
import type { Scope } from "../http/scope.ts";
import { pathText } from "../http/validate.ts";
import { optionFor, optionsOf } from "../http/variants.ts";
import type { Db } from "../storage/open.ts";
import { KIND_NAMES, type ReferenceKind, referenceOf } from "./marks.ts";

/** An id, or the login name of a user. */
export type Ref = number | string;

/** How objects of one kind are looked up. */
export interface ReferredKind {
  /** The ids among these that exist and are within the scope. */
  existing: (db: Db, ids: readonly Ref[], scope: Scope) => ReadonlySet<Ref>;
  /** Undefined also for an object without a name. */
  nameOf: (db: Db, id: Ref) => string | undefined;
  idOf: (db: Db, name: string) => Ref | undefined;
  /** Whether agents create such objects, so that an import leaves out references to missing ones. */
  comesLater?: boolean;
}

type Path = readonly (string | number)[];

interface Visit {
  /** @returns the replacement; undefined to leave the reference out */
  replace: (kind: ReferenceKind, ref: Ref, path: Path) => Ref | undefined;
  /**
   * Called when a field loses its only reference, or a list its last one, and is left out. Without it, empty lists
   * stay.
   */
  emptied?: () => void;
}

function isRef(value: unknown): value is Ref {
  return typeof value === "number" || typeof value === "string";
}

/** Replaces every reference in a value. */
function mapped(schema: v.GenericSchema, value: unknown, visit: Visit, path: Path = []): unknown {
  if (value === null || value === undefined) return value;
  const kind = referenceOf(schema);
  if (kind !== undefined) return isRef(value) ? visit.replace(kind, value, path) : value;
  if ("wrapped" in schema) return mapped(schema.wrapped as v.GenericSchema, value, visit, path);
  if ("item" in schema && Array.isArray(value))
    return mappedList(schema.item as v.GenericSchema, value, visit, path);
  if (typeof value !== "object") return value;
  if ("entries" in schema) return mappedObject(schema.entries as v.ObjectEntries, value, visit, path);
  const option = optionFor(schema, value);
  return option ? mapped(option, value, visit, path) : value;
}

function mappedList(
  item: v.GenericSchema,
  list: readonly unknown[],
  visit: Visit,
  path: Path,
): unknown[] | undefined {
  const items = list
    .map((element, i) => mapped(item, element, visit, [...path, i]))
    .filter((element) => element !== undefined);
  if (items.length > 0 || list.length === 0 || !visit.emptied) return items;
  visit.emptied();
  return undefined;
}

function mappedObject(entries: v.ObjectEntries, object: object, visit: Visit, path: Path): object {
  const pairs = Object.entries(object).flatMap(([name, value]) => {
    const entry = Object.hasOwn(entries, name) ? (entries[name] as v.GenericSchema) : undefined;
    const replaced = entry ? mapped(entry, value, visit, [...path, name]) : value;
    if (replaced === undefined && isRef(value)) visit.emptied?.();
    return replaced === undefined ? [] : [[name, replaced]];
  });
  return Object.fromEntries(pairs);
}

/** The references to objects of a kind in a value. */
export function refsIn(schema: v.GenericSchema, value: object, kind: ReferenceKind): Ref[] {
  const refs: Ref[] = [];
  const replace: Visit["replace"] = (kindOfRef, ref) => {
    if (kindOfRef === kind) refs.push(ref);
    return ref;
  };
  mapped(schema, value, { replace });
  return refs;
}

/** Whether values of this schema may refer to objects of a kind. */
export function mayReferTo(schema: v.GenericSchema, kind: ReferenceKind): boolean {
  if (referenceOf(schema) === kind) return true;
  const parts = [
    ...("wrapped" in schema ? [schema.wrapped] : []),
    ...("item" in schema ? [schema.item] : []),
    ...("entries" in schema ? Object.values(schema.entries as v.ObjectEntries) : []),
    ...optionsOf(schema),
  ];
  return parts.some((part) => mayReferTo(part as v.GenericSchema, kind));
}

/** Finds, names and checks the references of resources. */
export class References {
  constructor(
    private readonly db: Db,
    private readonly kinds: Readonly<Record<ReferenceKind, ReferredKind>>,
  ) {}

  /**
   * Refuses references to objects that do not exist or are outside the scope. References that were there before are
   * kept: their objects may have been deleted.
   * @throws ApiError 400 that names the field
   */
  refuseUnknown(schema: v.GenericSchema, content: object, before: object | null, scope: Scope): void {
    const kept = new Set<string>();
    const keep = (kind: ReferenceKind, ref: Ref) => {
      kept.add(`${kind} ${ref}`);
      return ref;
    };
    if (before) mapped(schema, before, { replace: keep });
    const added = new Map<ReferenceKind, Map<Ref, Path>>();
    const replace: Visit["replace"] = (kind, ref, path) => {
      if (kept.has(`${kind} ${ref}`)) return ref;
      const places = added.get(kind) ?? new Map<Ref, Path>();
      added.set(kind, places.set(ref, path));
      return ref;
    };
    mapped(schema, content, { replace });
    for (const [kind, places] of added) {
      const existing = this.kinds[kind].existing(this.db, [...places.keys()], scope);
      for (const [ref, path] of places)
        if (!existing.has(ref)) {
          const name = KIND_NAMES[kind];
          const requirement = kind === "user" ? "the login name of a user" : `the id of a ${name}`;
          throw errors.badArgument(pathText(path), `${requirement}; there is no ${name} ${ref}`);
        }
    }
  }

  /**
   * The content with names in place of ids, for the export file. `lost`: a field or list was left out because all
   * objects that it referred to were deleted. Without it, the content would apply to more than before.
   */
  named(schema: v.GenericSchema, content: object): { item: Record<string, unknown>; lost: boolean } {
    let lost = false;
    const item = mapped(schema, content, {
      replace: (kind, ref) => this.kinds[kind].nameOf(this.db, ref),
      emptied: () => {
        lost = true;
      },
    });
    return { item: item as Record<string, unknown>, lost };
  }

  /** The content of an item of the export file, with ids in place of names. @throws ApiError 400 */
  withIds(schema: v.GenericSchema, item: object): Record<string, unknown> {
    const replace: Visit["replace"] = (kind, name, path) => {
      const id = this.kinds[kind].idOf(this.db, String(name));
      if (id === undefined && !this.kinds[kind].comesLater)
        throw errors.badRequest(`${pathText(path)}: there is no ${KIND_NAMES[kind]} "${String(name)}"`);
      return id;
    };
    return mapped(schema, item, { replace }) as Record<string, unknown>;
  }
}
