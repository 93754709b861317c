/** Valibot schemas as JSON Schema, with the meanings of names from the glossary. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type { Operation } from "../http/operation.ts";
import type { Schema } from "./document.types.ts";
import { meaningOfField } from "./glossary.ts";

function convert(schema: GenericSchema, typeMode: "input" | "output"): Schema {
  const { $schema: _dialect, ...converted } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode,
    // A check is code; what it allows is in the description.
    ignoreActions: ["check"],
  });
  return converted as Schema;
}

/** Schema of the arguments: an object with a property for each. */
export function argumentsSchema({ takes }: Pick<Operation, "takes">): Schema {
  return convert(takes, "input");
}

/** Every property with its meaning; the items of an array are known by the array's name. */
function explained(schema: Schema, path: string, field: string): Schema {
  const { properties, items } = schema;
  const inside = (name: string) => (field === "" ? name : `${field}.${name}`);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const meaning = property.description ?? meaningOfField(path, inside(name));
          const known = explained(property, path, inside(name));
          return [name, meaning === undefined ? known : { ...known, description: meaning }];
        }),
      ),
    }),
    ...(typeof items === "object" && { items: explained(items, path, field) }),
  };
}

/** Schema of the JSON reply. */
export function replySchema({ gives, path }: Operation): Schema {
  return explained(convert(gives, "output"), path, "");
}
