/** Describes arguments in OpenAPI: query parameters of a GET, form of a POST. */
import type { Upload } from "../../platform/http/arguments.ts";
import type { Operation } from "../../platform/http/operation.ts";
import type { MediaType, OperationObject, Parameter, Schema } from "./document.types.ts";
import { argumentsSchema } from "./schemas.ts";

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
export function argumentParameters(operation: Operation): Pick<OperationObject, "parameters"> {
  if (operation.pairs !== undefined) {
    const schema = pairsSchema(operation.pairs);
    return {
      parameters: [{ name: "pairs", in: "query", required: true, style: "form", explode: true, schema }],
    };
  }
  const { properties = {}, required = [] } = argumentsSchema(operation);
  const parameters = Object.entries(properties).map(
    ([name, schema]): Parameter => ({
      name,
      in: "query",
      description: meaningOf(schema),
      required: required.includes(name),
      ...(isRepeatable(schema) && { style: "form", explode: true }),
      schema: withAllowed(schema),
    }),
  );
  return parameters.length > 0 ? { parameters } : {};
}

/**
 * A form property has a single description, for both meaning and allowed values. For arrays, the items have
 * the latter.
 */
function formProperty(schema: Schema): Schema {
  const said = [meaningOf(schema), schema.allowed];
  return { ...withAllowed(schema), description: said.filter(Boolean).join("; ") };
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

function plainForm(schema: Schema): MediaType {
  const repeatable = Object.entries(schema.properties ?? {}).filter(([, property]) => isRepeatable(property));
  if (repeatable.length === 0) return { schema };
  return {
    schema,
    encoding: Object.fromEntries(repeatable.map(([name]) => [name, { style: "form", explode: true }])),
  };
}

function formWithFile(schema: Schema, { field, meaning }: Upload): MediaType {
  const file = { type: "string", format: "binary", description: meaning };
  return { schema: { ...schema, properties: { ...schema.properties, [field]: file } } };
}

/** Form of a POST; absent if there are no arguments. */
export function argumentForm(operation: Operation): Pick<OperationObject, "requestBody"> {
  const { pairs, upload } = operation;
  const schema = formSchema(operation);
  const isEmpty = pairs === undefined && Object.keys(schema.properties ?? {}).length === 0;
  if (isEmpty && !upload) return {};
  return {
    requestBody: {
      required: pairs !== undefined || schema.required !== undefined,
      content: {
        "application/x-www-form-urlencoded": plainForm(schema),
        ...(upload && { "multipart/form-data": formWithFile(schema, upload) }),
      },
    },
  };
}
