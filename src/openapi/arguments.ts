/** Arguments in the words of OpenAPI: query parameters by GET, a form by POST. */
import type { Upload } from "../http/arguments.ts";
import type { Operation } from "../http/operation.ts";
import type { MediaType, OperationObject, Parameter, Schema } from "./document.types.ts";
import { meaningOfArgument } from "./glossary.ts";
import { argumentsSchema } from "./schemas.ts";

/** Operations whose arguments have names of the caller's choice. */
const FREE_FORM: ReadonlySet<string> = new Set(["/session/put"]);

const PAIRS: Schema = {
  type: "object",
  description: "any key with its value",
  additionalProperties: { type: "string", maxLength: 8192 },
};

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

function meaningOf(path: string, name: string, schema: Schema): string {
  const meaning = schema.description ?? meaningOfArgument(path, name) ?? "";
  return isRepeatable(schema) && !meaning.endsWith("; repeatable") ? `${meaning}; repeatable` : meaning;
}

/** Parameters of a GET: what an argument means, and within its schema what it may be. */
export function argumentParameters(operation: Operation): Pick<OperationObject, "parameters"> {
  const { path } = operation;
  if (FREE_FORM.has(path))
    return {
      parameters: [
        { name: "pairs", in: "query", required: true, style: "form", explode: true, schema: PAIRS },
      ],
    };
  const { properties = {}, required = [] } = argumentsSchema(operation);
  const parameters = Object.entries(properties).map(
    ([name, schema]): Parameter => ({
      name,
      in: "query",
      description: meaningOf(path, name, schema),
      required: required.includes(name),
      ...(isRepeatable(schema) && { style: "form", explode: true }),
      schema: withAllowed(schema),
    }),
  );
  return parameters.length > 0 ? { parameters } : {};
}

/** A property has one description only, for what it means and what it may be. Of arrays the items say the latter. */
function formProperty(path: string, name: string, schema: Schema): Schema {
  const said = [meaningOf(path, name, schema), schema.allowed];
  return { ...withAllowed(schema), description: said.filter(Boolean).join("; ") };
}

function formSchema(operation: Operation): Schema {
  const { path } = operation;
  if (FREE_FORM.has(path)) return PAIRS;
  const { properties = {}, required = [] } = argumentsSchema(operation);
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, formProperty(path, name, schema)]),
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

function formWithFile(schema: Schema, path: string, { field }: Upload): MediaType {
  const file = { type: "string", format: "binary", description: meaningOfArgument(path, field) ?? "" };
  return { schema: { ...schema, properties: { ...schema.properties, [field]: file } } };
}

/** Form of a POST; none when there is nothing to fill in. */
export function argumentForm(operation: Operation): Pick<OperationObject, "requestBody"> {
  const { path, upload } = operation;
  const schema = formSchema(operation);
  const isEmpty = schema !== PAIRS && Object.keys(schema.properties ?? {}).length === 0;
  if (isEmpty && !upload) return {};
  return {
    requestBody: {
      required: schema === PAIRS || schema.required !== undefined,
      content: {
        "application/x-www-form-urlencoded": plainForm(schema),
        ...(upload && { "multipart/form-data": formWithFile(schema, path, upload) }),
      },
    },
  };
}
