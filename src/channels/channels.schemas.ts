import * as v from "valibot";
import { boolean, id, oneOf, text } from "../http/validate.ts";
import { MAX_VALUE } from "./fields.ts";
import { KINDS } from "./kinds.ts";

/** What settings are called among arguments: the field's name with this before it. */
export const SETTING_PREFIX = "setting.";

const name = text(1, 255);
const kind = oneOf(KINDS.map((one) => one.kind));
const setting = v.optional(text(0, MAX_VALUE));

/** Every field of every kind as an optional argument. */
const settingArguments: Record<`setting.${string}`, typeof setting> = Object.fromEntries(
  KINDS.flatMap(({ fields }) => fields.map((field) => [`${SETTING_PREFIX}${field.name}`, setting])),
);

export const createArguments = v.object({ name, kind, enabled: v.optional(boolean), ...settingArguments });

export const updateArguments = v.object({
  id,
  name: v.optional(name),
  kind: v.optional(kind),
  enabled: v.optional(boolean),
  forget: v.optional(v.array(text(1, 255))),
  ...settingArguments,
});

export const testArguments = v.object({
  id: v.optional(id),
  kind: v.optional(kind),
  ...settingArguments,
});

/** The settings among arguments, by the names of their fields. */
export function settingsAmong(args: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) =>
      name.startsWith(SETTING_PREFIX) && typeof value === "string"
        ? [[name.slice(SETTING_PREFIX.length), value.replace(/\r\n?/g, "\n")]]
        : [],
    ),
  );
}

const string = v.string();

export const kindsReply = v.object({
  records: v.array(
    v.object({
      kind: string,
      label: string,
      grouped: v.boolean(),
      available: v.boolean(),
      fields: v.array(
        v.object({
          name: string,
          label: string,
          type: v.picklist(["text", "secret", "url", "choice", "lines"]),
          required: v.boolean(),
          initial: string,
          choices: v.array(string),
          doc: string,
        }),
      ),
    }),
  ),
});

export const channelReply = v.object({
  id: v.number(),
  name: string,
  kind: string,
  enabled: v.boolean(),
  settings: v.record(string, string),
  secrets: v.array(string),
  rules: v.array(v.number()),
});

export const listReply = v.object({ totalRecords: v.number(), records: v.array(channelReply) });

export const testReply = v.object({
  outcome: v.picklist(["sent", "refused", "failed", "unknown"]),
  detail: string,
  duration: v.number(),
});
