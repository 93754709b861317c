/** Schemas with several options: variants, whose options are told apart by one field, and unions. */
import type * as v from "valibot";

function literalOf(option: v.GenericSchema, key: string): unknown {
  const entry = "entries" in option ? (option.entries as Record<string, unknown>)[key] : undefined;
  return typeof entry === "object" && entry !== null && "literal" in entry ? entry.literal : undefined;
}

/** The options of a variant or union; none for other schemas. */
export function optionsOf(schema: v.GenericSchema): v.GenericSchema[] {
  const isOfSchemas = schema.type === "variant" || schema.type === "union";
  return isOfSchemas && "options" in schema ? (schema.options as v.GenericSchema[]) : [];
}

/** The option of a variant that matches the object; for a union, the option that is an object. */
export function optionFor(schema: v.GenericSchema, value: object): v.GenericSchema | undefined {
  if (!("key" in schema)) return optionsOf(schema).find((option) => "entries" in option);
  const key = String(schema.key);
  const tag = (value as Record<string, unknown>)[key];
  return optionsOf(schema).find((option) => literalOf(option, key) === tag);
}

/** The values that distinguish the options of a variant, if this field does so. */
export function tagsOf(schema: v.GenericSchema, key: string | number): string[] {
  if (!("key" in schema) || schema.key !== key) return [];
  return optionsOf(schema).map((option) => String(literalOf(option, String(key))));
}
