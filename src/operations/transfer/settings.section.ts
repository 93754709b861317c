import * as v from "valibot";
import { errors } from "../../platform/http/errors.ts";
import { checked } from "../../platform/http/validate.ts";
import {
  EDITABLE,
  type EditableDefinition,
  type EditableName,
} from "../../platform/settings/settings.definitions.ts";
import type { Section } from "./section.ts";

const settingSchema = v.strictObject({ name: v.string(), value: v.union([v.string(), v.number()]) });

function definitionOf(name: string): EditableDefinition {
  if (!Object.hasOwn(EDITABLE, name)) throw errors.badRequest("There is no such setting");
  return EDITABLE[name as EditableName];
}

/** Settings that are stored in the database. */
export const settingsSection: Section<v.InferOutput<typeof settingSchema>> = {
  name: "settings",
  schema: settingSchema,
  nameOf: (setting) => setting.name,
  exportItems: ({ settings }, withSecrets) =>
    Object.entries(settings.values())
      .filter(([name]) => withSecrets || !definitionOf(name).secret)
      .map(([name, value]) => ({ name, value })),
  importItem: ({ settings }, { name, value }) => {
    settings.update(checked(v.object({ [name]: definitionOf(name).schema }), { [name]: value }));
    return "updated";
  },
};
