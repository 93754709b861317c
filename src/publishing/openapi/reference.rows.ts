/** Table rows for arguments and reply fields. */
import type { OperationObject } from "./document.ts";
import type { Schema } from "./schemas.ts";

export interface ReferenceRow {
  name: string;
  /** Nesting level within the reply, from 0. */
  depth: number;
  type: string;
  required: boolean;
  text: string;
}

/** The type of a value in words, as in "array of number". */
export function typeText(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeText).join(" or ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeText).join(", ")}]`;
  if (schema.type === "array" && typeof schema.items === "object")
    return `array of ${typeText(schema.items)}`;
  if (typeof schema.additionalProperties === "object")
    return `object of ${typeText(schema.additionalProperties)}`;
  if (schema.const !== undefined) return typeof schema.const;
  return schema.type ?? "anything";
}

/** Meaning, allowed values and default of an argument. */
function argumentText(meaning: string | undefined, schema: Schema): string {
  const value = typeof schema.items === "object" ? schema.items : schema;
  const initial = schema.default === undefined ? undefined : `by default ${String(schema.default)}`;
  return [meaning, value.description, initial].filter(Boolean).join("; ");
}

function argumentRow(name: string, required: boolean, schema: Schema, text: string): ReferenceRow {
  return { name, depth: 0, type: schema.format === "binary" ? "file" : typeText(schema), required, text };
}

/** Arguments of an operation, whether query or form. */
export function argumentRows({ parameters, requestBody }: OperationObject): ReferenceRow[] {
  if (parameters)
    return parameters.map(({ name, required, description, schema }) =>
      argumentRow(name, required, schema, argumentText(description, schema)),
    );
  const content = requestBody?.content ?? {};
  const json = content["application/json"]?.schema;
  if (json) return replyRows(json, 0, json.required);
  const form = (content["multipart/form-data"] ?? content["application/x-www-form-urlencoded"])?.schema;
  return Object.entries(form?.properties ?? {}).map(([name, schema]) =>
    argumentRow(
      name,
      form?.required?.includes(name) ?? false,
      schema,
      argumentText(schema.type === "array" ? schema.description : undefined, schema),
    ),
  );
}

/** Fields of a reply, each followed by its nested fields. */
export function replyRows(schema: Schema, depth = 0, required: readonly string[] = []): ReferenceRow[] {
  if (typeof schema.items === "object") return replyRows(schema.items, depth);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    {
      name,
      depth,
      type: typeText(property),
      required: required.includes(name),
      text: [property.description, property.enum && `one of ${property.enum.join(", ")}`]
        .filter(Boolean)
        .join("; "),
    },
    ...replyRows(property, depth + 1),
  ]);
}
