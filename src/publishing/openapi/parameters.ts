/** Describes arguments in OpenAPI: query parameters of a GET, form of a POST. */
import type { Upload } from "../../platform/http/arguments.ts";
import type { Operation } from "../../platform/http/operation.ts";
import { argumentsSchema, type Schema } from "./schemas.ts";

const REPEATED = { style: "form", explode: true } as const;

interface ArgumentForm {
  schema: Schema;
  encoding?: Record<string, typeof REPEATED>;
}

/** A schema for arguments with arbitrary names. */
function pairsSchema(description: string): Schema {
  return { type: "object", description, additionalProperties: { type: "string" } };
}

const isRepeatable = (schema: Schema) => schema.type === "array";

/** Appends the allowed values to the description where JSON Schema cannot express them. */
function withAllowed({ allowed, items, description: _meaning, ...schema }: Schema): Schema {
  return {
    ...schema,
    ...(allowed !== undefined && { description: allowed }),
    ...(items !== undefined && { items: typeof items === "object" ? withAllowed(items) : items }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(withAllowed) }),
  };
}

function meaningOf(schema: Schema): string {
  return [schema.description, isRepeatable(schema) && "repeatable"].filter(Boolean).join("; ");
}

/** Parameters of a GET. The parameter describes the meaning, its schema the allowed values. */
export function argumentParameters(operation: Operation) {
  if (operation.pairs !== undefined) {
    const schema = pairsSchema(operation.pairs);
    return [{ name: "pairs", in: "query", description: undefined, required: true, ...REPEATED, schema }];
  }
  const { properties = {}, required = [] } = argumentsSchema(operation);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    description: meaningOf(schema),
    required: required.includes(name),
    ...(isRepeatable(schema) && REPEATED),
    schema: withAllowed(schema),
  }));
}

/** A form property has one description, for meaning and allowed values. In an array, the items carry it. */
function formProperty(schema: Schema): Schema {
  const parts = [meaningOf(schema), schema.allowed];
  return { ...withAllowed(schema), description: parts.filter(Boolean).join("; ") };
}

function formSchema(operation: Operation): Schema {
  if (operation.pairs !== undefined) return pairsSchema(operation.pairs);
  const { properties = {}, required = [] } = argumentsSchema(operation);
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, formProperty(schema)]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function plainForm(schema: Schema): ArgumentForm {
  const repeatable = Object.entries(schema.properties ?? {}).filter(([, property]) => isRepeatable(property));
  const encoding = Object.fromEntries(repeatable.map(([name]) => [name, REPEATED]));
  return { schema, ...(repeatable.length > 0 && { encoding }) };
}

function formWithFile(schema: Schema, { field, meaning }: Upload): ArgumentForm {
  const file = { type: "string", format: "binary", description: meaning };
  return { schema: { ...schema, properties: { ...schema.properties, [field]: file } } };
}

/** A schema whose descriptions also say what is allowed, at every depth. */
export function selfContained({ allowed, ...schema }: Schema): Schema {
  const { properties, items, anyOf, oneOf, description } = schema;
  const parts = [description, typeof items === "object" ? undefined : allowed];
  const deep = (schemas: Record<string, Schema>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, property]) => [name, selfContained(property)]));
  return {
    ...schema,
    ...(parts.some(Boolean) && { description: parts.filter(Boolean).join("; ") }),
    ...(properties && { properties: deep(properties) }),
    ...(items !== undefined && { items: typeof items === "object" ? selfContained(items) : items }),
    ...(anyOf && { anyOf: anyOf.map(selfContained) }),
    ...(oneOf && { oneOf: oneOf.map(selfContained) }),
  };
}

/** Body of a POST; undefined if there are no arguments. */
export function argumentBody(operation: Operation) {
  if (operation.body === "form") return argumentForm(operation);
  const schema = selfContained(argumentsSchema(operation));
  return { required: true, content: { "application/json": { schema } as ArgumentForm } };
}

/** Form of a POST; undefined if there are no arguments. */
function argumentForm(operation: Operation) {
  const { pairs, upload } = operation;
  const schema = formSchema(operation);
  const form: Record<string, ArgumentForm> = { "application/x-www-form-urlencoded": plainForm(schema) };
  if (upload) form["multipart/form-data"] = formWithFile(schema, upload);
  const isEmpty = pairs === undefined && Object.keys(schema.properties ?? {}).length === 0;
  if (isEmpty && !upload) return undefined;
  return { required: pairs !== undefined || schema.required !== undefined, content: form };
}
