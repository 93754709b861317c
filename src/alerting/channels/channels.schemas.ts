import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { boolean, described, id, idOf, oneOf, text } from "../../platform/http/validate.ts";
import { MAX_VALUE } from "./kinds/fields.ts";
import { KINDS } from "./kinds/kinds.ts";

/** Prefix of the arguments that carry a channel's settings; the field's name follows. */
export const SETTING_PREFIX = "setting.";

const name = described(text(1, 255), "name of the channel");
const kind = described(
  oneOf(KINDS.map((one) => one.kind)),
  "kind of channel (see admin/channels/kinds); it cannot be changed later",
);
const enabled = described(v.optional(boolean), "whether messages are sent through it");

/** The argument for the setting of this name, described by each kind that has it. */
function setting(name: string) {
  const meanings = KINDS.flatMap(({ kind, fields }) =>
    fields.filter((field) => field.name === name).map(({ doc }) => `${kind}: ${doc}`),
  );
  return described(v.optional(text(0, MAX_VALUE)), meanings.join("; "));
}

/** Every field of every kind, as an optional argument. */
const settingArguments: Record<`setting.${string}`, ReturnType<typeof setting>> = Object.fromEntries(
  KINDS.flatMap(({ fields }) => fields.map(({ name }) => [`${SETTING_PREFIX}${name}`, setting(name)])),
);

export const createArguments = v.object({ name, kind, enabled, ...settingArguments });

export const updateArguments = v.object({
  id: idOf("channel"),
  name: v.optional(name),
  kind: v.optional(kind),
  enabled,
  forget: described(v.optional(v.array(text(1, 255))), "name of a secret field to clear"),
  ...settingArguments,
});

export const testArguments = v.object({
  id: described(
    v.optional(id),
    "id of the channel; without it, a channel of the given kind that is not stored yet",
  ),
  kind: v.optional(kind),
  ...settingArguments,
});

/** The settings among the arguments, keyed by field name. */
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

const field = v.object({
  name: described(string, "name of the field; the argument is called setting. and this name"),
  label: described(string, "label for forms"),
  type: described(
    v.picklist(["text", "secret", "url", "choice", "lines"]),
    "text; secret, which is never shown again; url; choice; or lines, a text of several lines",
  ),
  required: described(v.boolean(), "whether it must not be empty"),
  initial: described(string, "value if none is given"),
  choices: described(v.array(string), "values of a choice"),
  doc: described(string, "what it means"),
});

export const kindsReply = v.object({
  records: described(
    v.array(
      v.object({
        kind: described(string, "name for the argument kind"),
        label: described(string, "label for forms"),
        grouped: described(v.boolean(), "whether one message can report several events"),
        available: described(v.boolean(), "whether it can be used here: exec only with --allow-exec"),
        fields: described(v.array(field), "settings of a channel of this kind"),
      }),
    ),
    "kinds of channels",
  ),
});

export const channelReply = v.object({
  id: described(v.number(), "id of the channel"),
  name: described(string, "name of the channel"),
  kind: described(string, "kind of channel"),
  enabled: described(v.boolean(), "whether messages are sent through it"),
  settings: described(v.record(string, string), "value of every field, by its name; secrets are empty"),
  secrets: described(v.array(string), "names of the secrets that are set"),
  rules: described(v.array(v.number()), "ids of the rules that use it, in their order"),
  failures: described(v.number(), "attempts in a row that failed or were refused"),
  lastat: described(v.nullable(v.number()), "when the last attempt ended, unix timestamp; null without one"),
  lastoutcome: described(
    v.nullable(v.picklist(["sent", "refused", "failed", "unknown"])),
    "outcome of the last attempt, as of a test; null without one",
  ),
  lastanswer: described(string, "what the remote answered then, or why no answer came"),
});

export const listReply = v.object({
  totalRecords,
  records: described(v.array(channelReply), "channels"),
});

export const createReply = v.object({ id: described(v.number(), "id of the new channel") });

export const testReply = v.object({
  outcome: described(
    v.picklist(["sent", "refused", "failed", "unknown"]),
    "sent; refused, permanently; failed, temporarily; unknown: everything was sent, and no reply came",
  ),
  detail: described(string, "what the remote replied, without secrets, or why there was no reply"),
  duration: described(v.number(), "milliseconds that the attempt took"),
});
