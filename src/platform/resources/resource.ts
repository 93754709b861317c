/**
 * A resource of the API: one description, from which the arguments of its operations, its replies, its items in the
 * export file and the types of the web UI are derived.
 */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { errors } from "../http/errors.ts";
import { totalRecords } from "../http/paging.ts";
import { described, idOf } from "../http/validate.ts";
import { readOnly } from "./marks.ts";

interface Description<F extends v.ObjectEntries, R extends v.ObjectEntries> {
  /** The field that is unique among the objects: `name` by default. */
  key?: Extract<keyof F, string>;
  /** The fields that callers set. An optional field has the default of a new object. */
  fields: F;
  /** The fields that Muster adds to replies. */
  derived: R;
  /** Completes "limits, ..." for the list. */
  order: string;
  /** The plural of the noun, unless that adds an s. */
  plural?: string;
}

/** The schema without its default, since an update keeps an absent field. */
function withoutDefault(schema: v.GenericSchema): v.GenericSchema {
  if (schema.type !== "optional" || !("wrapped" in schema)) return v.optional(schema);
  return described(v.optional(schema.wrapped as v.GenericSchema), v.getDescription(schema) ?? "");
}

/** Derives the schemas of a resource from its description. @param noun name of one object in sentences: "limit" */
export function resource<const F extends v.ObjectEntries, const R extends v.ObjectEntries>(
  noun: string,
  { key, fields, derived, order, plural = `${noun}s` }: Description<F, R>,
) {
  const marked = Object.fromEntries(
    Object.entries(derived).map(([name, schema]) => [name, readOnly(schema as v.GenericSchema)]),
  ) as unknown as R;
  const content = v.strictObject(fields);
  const record = v.object({ id: idOf(noun), ...fields, ...marked });
  const partial = Object.entries({ ...fields, ...marked }).map(([name, schema]) => [
    name,
    withoutDefault(schema as v.GenericSchema),
  ]);
  return {
    noun,
    plural,
    key: key ?? "name",
    /** Its fields, with defaults: the arguments of `create`, and an item of the export file. */
    content,
    /** What `get` replies. */
    record,
    /** What `list` replies. */
    list: v.object({ totalRecords, records: described(v.array(record), `${plural}, ${order}`) }),
    /** Arguments of `update`: an absent field is kept, a read-only field is accepted if unchanged. */
    update: v.strictObject({
      id: idOf(noun),
      ...Object.fromEntries(partial),
    }) as unknown as v.StrictObjectSchema<v.ObjectEntries, undefined>,
    /** Arguments of operations on one object. */
    item: v.object({ id: idOf(noun) }),
    created: v.object({ id: described(v.number(), `id of the new ${noun}`) }),
    derived: Object.keys(derived),
  };
}

/** Any resource. */
// biome-ignore lint/suspicious/noExplicitAny: the entries of any resource; nothing of that type leaves a function
export type Resource = ReturnType<typeof resource<any, any>>;
export type ContentOf<S extends Pick<Resource, "content">> = v.InferOutput<S["content"]>;
export type RecordOf<S extends Pick<Resource, "record">> = v.InferOutput<S["record"]>;
/** Arguments of an update. */
export type UpdateOf<S extends Pick<Resource, "record">> = { id: number } & Partial<RecordOf<S>>;

/**
 * The fields that an update changes: those that differ from what the caller was shown. Sending a record back as it
 * was read changes nothing, even if parts of it are hidden from the caller.
 * @throws ApiError 400 if a read-only field differs
 */
export function changesOf<S extends Resource>(
  { content, derived }: S,
  shown: RecordOf<S>,
  { id: _, ...sent }: UpdateOf<S>,
): Partial<ContentOf<S>> {
  const before = shown as Record<string, unknown>;
  const changed = Object.entries(sent).filter(([name, value]) => !isDeepStrictEqual(value, before[name]));
  const fixed = changed.find(([name]) => derived.includes(name));
  if (fixed) throw errors.badArgument(fixed[0], "left out or as it was read, since Muster sets it");
  return Object.fromEntries(changed.filter(([name]) => name in content.entries)) as Partial<ContentOf<S>>;
}

/** The fields that callers set, out of an object with further ones. */
export function contentIn<S extends Resource>({ content }: S, object: Record<string, unknown>): ContentOf<S> {
  return Object.fromEntries(Object.keys(content.entries).map((name) => [name, object[name]])) as ContentOf<S>;
}
