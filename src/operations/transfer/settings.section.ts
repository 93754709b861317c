import * as v from "valibot";
import { errors } from "../../platform/http/errors.ts";
import { checked } from "../../platform/http/validate.ts";
import { type Definition, EDITABLE } from "../../platform/settings/settings.definitions.ts";
import { updateArguments } from "../../platform/settings/settings.schemas.ts";
import type { Section } from "./section.ts";

const settingSchema = v.strictObject({ name: v.string(), value: v.union([v.string(), v.number()]) });

const DEFINITIONS: Readonly<Record<string, Definition>> = EDITABLE;

export const settingsSection: Section<v.InferOutput<typeof settingSchema>> = {
  name: "settings",
  schema: settingSchema,
  nameOf: (setting) => setting.name,
  exportItems: ({ settings }, withSecrets) =>
    Object.entries(settings.values())
      .filter(([name]) => withSecrets || !DEFINITIONS[name]?.secret)
      .map(([name, value]) => ({ name, value })),
  importItem: ({ settings }, { name, value }) => {
    if (!Object.hasOwn(DEFINITIONS, name)) throw errors.badRequest("There is no such setting");
    settings.update(checked(updateArguments, { [name]: value }));
    return "updated";
  },
};
