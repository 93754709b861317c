import * as v from "valibot";
import { errors } from "../../platform/http/errors.ts";
import { checked } from "../../platform/http/validate.ts";
import { type Definition, EDITABLE } from "../../platform/settings/settings.definitions.ts";
import { updateArguments } from "../../platform/settings/settings.schemas.ts";
import type { Section } from "./section.ts";

const settingSchema = v.strictObject({
  name: v.string(),
  value: v.optional(v.union([v.string(), v.number()])),
  /** In place of the value of a secret that is set, in a file without secrets. */
  set: v.optional(v.literal(true)),
});

type Item = v.InferOutput<typeof settingSchema>;

const DEFINITIONS: Readonly<Record<string, Definition>> = EDITABLE;

export const settingsSection: Section<Item> = {
  name: "settings",
  schema: settingSchema,
  nameOf: (setting) => setting.name,
  exportItems: ({ settings }, withSecrets) =>
    Object.entries(settings.values()).flatMap(([name, value]): Item[] => {
      if (withSecrets || !DEFINITIONS[name]?.secret) return [{ name, value }];
      return value === "" ? [] : [{ name, set: true }];
    }),
  importItem: ({ settings }, { name, value, set }) => {
    const definition = Object.hasOwn(DEFINITIONS, name) ? DEFINITIONS[name] : undefined;
    if (!definition) throw errors.badRequest("There is no such setting");
    if (value === undefined) {
      if (!set || !definition.secret) throw errors.badRequest("Its value is missing");
      return settings.values()[name] === "" ? "lacking" : "updated";
    }
    settings.update(checked(updateArguments, { [name]: value }));
    return "updated";
  },
  refuseUnfit: ({ settings }, items, dataFolder) =>
    settings.refuseUnfit(
      items.map(({ name }) => name),
      dataFolder,
    ),
};
