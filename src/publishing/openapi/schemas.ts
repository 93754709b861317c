/** Converts valibot schemas to JSON Schema. Each schema carries the description of its field. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type { Operation } from "../../platform/http/operation.ts";

/** The subset of JSON Schema (2020-12) that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  const?: string | number;
  title?: string;
  description?: string;
  /** Allowed values in words. When the document is served, this becomes part of the description. */
  allowed?: string;
  default?: unknown;
  enum?: (string | number)[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  readOnly?: boolean;
  writeOnly?: boolean;
  items?: Schema | boolean;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  format?: string;
}

/** Metadata only for Muster: JSON Schema has no such keywords, and strict validators refuse unknown ones. */
const MARKS: ReadonlySet<string> = new Set(["reference", "countingIf"]);

function withoutMarks<T extends object>(schema: T): T {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !MARKS.has(keyword))) as T;
}

function convert(schema: GenericSchema, typeMode: "input" | "output"): Schema {
  const { $schema: _dialect, ...converted } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode,
    // A check is code and cannot be converted; its schema describes the allowed values in words.
    ignoreActions: ["check"],
    overrideAction: ({ jsonSchema }) => withoutMarks(jsonSchema),
  });
  return converted as Schema;
}

/** Schema of the arguments: an object with a property for each. */
export function argumentsSchema({ request }: Pick<Operation, "request">): Schema {
  return convert(request, "input");
}

/** Schema of the JSON reply. */
export function replySchema({ response }: Pick<Operation, "response">): Schema {
  return convert(response, "output");
}
