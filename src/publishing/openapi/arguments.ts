/** Arguments in the words of OpenAPI: query parameters by GET, a form by POST. */
import type { Upload } from "../../platform/http/arguments.ts";
import type { Operation } from "../../platform/http/operation.ts";
import type { MediaType, OperationObject, Parameter, Schema } from "./document.types.ts";
import { argumentsSchema } from "./schemas.ts";

/** Arguments under names of the caller's choice. */
function pairsSchema(description: string): Schema {
  return { type: "object", description, additionalProperties: { type: "string" } };
}

const isRepeatable = (schema: Schema) => schema.type === "array";

/** What a value may be, which schemas of OpenAPI have no word for, as its description. */
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

/** Parameters of a GET: what an argument means, and within its schema what it may be. */
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

/** A property has one description only, for what it means and what it may be. Of arrays the items say the latter. */
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

/** Form of a POST; none when there is nothing to fill in. */
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
