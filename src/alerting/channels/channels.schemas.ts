import * as v from "valibot";
import { allowing, boolean, described, id, nameText, oneOf, text } from "../../platform/http/validate.ts";
import { type ContentOf, resource } from "../../platform/resources/resource.ts";
import { ATTEMPT_OUTCOMES } from "../../platform/storage/schema/alerts.ts";
import { MAX_VALUE } from "./kinds/fields.ts";
import { KINDS } from "./kinds/kinds.ts";

/** The setting of this name, described by each kind that has it. */
function setting(name: string) {
  const meanings = KINDS.flatMap(({ kind, fields }) =>
    fields.filter((field) => field.name === name).map(({ doc }) => `${kind}: ${doc}`),
  );
  const value = v.pipe(
    text(0, MAX_VALUE),
    v.transform((lines) => lines.replace(/\r\n?/g, "\n")),
  );
  return described(v.exactOptional(value), meanings.join("; "));
}

/** Every field of every kind. */
const settings = v.strictObject(
  Object.fromEntries(KINDS.flatMap(({ fields }) => fields.map(({ name }) => [name, setting(name)]))),
) as unknown as v.GenericSchema<Record<string, string>>;

/** A channel. Its secrets are never returned. In an update, an absent secret keeps its value. */
export const channel = resource("channel", {
  order: "by name",
  fields: {
    name: described(nameText(255), "name of the channel"),
    kind: described(
      oneOf(KINDS.map(({ kind }) => kind)),
      "kind of channel (see admin/channels/kinds); it cannot be changed later",
    ),
    enabled: described(v.optional(boolean, true), "whether messages are sent through it"),
    settings: described(
      v.optional(allowing(settings, "an object of settings"), {}),
      "settings of its kind, by name; an absent one keeps its value, and secrets are never returned",
    ),
  },
  derived: {
    secrets: described(v.array(v.string()), "names of the secrets that are set"),
    rules: described(v.array(v.number()), "ids of the rules that use it, in their order"),
    failures: described(v.number(), "attempts in a row that failed or were refused"),
    lastat: described(
      v.nullable(v.number()),
      "when the last attempt ended, unix timestamp; null without one",
    ),
    lastoutcome: described(
      v.nullable(v.picklist(ATTEMPT_OUTCOMES)),
      "outcome of the last attempt, in the words of admin/channels/test; null without one",
    ),
    lastanswer: described(v.string(), "what the remote answered, or why no answer came"),
  },
});
export type ChannelContent = ContentOf<typeof channel>;

export const testArguments = v.strictObject({
  id: described(v.optional(id), "id of the channel; without it, a channel that is not stored yet"),
  channel: described(v.optional(channel.content), "the whole channel to test; without it, the stored one"),
});

const string = v.string();

const field = v.object({
  name: described(string, "name of the field among the settings"),
  label: described(string, "label for forms"),
  type: described(
    v.picklist(["text", "secret", "url", "choice", "lines"]),
    "text; secret, which is never shown again; url; choice; or lines, a text of several lines",
  ),
  required: described(v.boolean(), "whether it must not be empty"),
  shared: described(v.boolean(), "whether a setting of Muster is used if it is empty, as the mail server is"),
  initial: described(string, "value that is used if none is given"),
  choices: described(v.array(string), "values of a choice"),
  doc: described(string, "what it means"),
});

export const kindsReply = v.object({
  records: described(
    v.array(
      v.object({
        kind: described(string, "name of the kind"),
        label: described(string, "label for forms"),
        grouped: described(v.boolean(), "whether one message can report several events"),
        available: described(v.boolean(), "whether it can be used here: exec only with --allow-exec"),
        fields: described(v.array(field), "settings of a channel of this kind"),
      }),
    ),
    "kinds of channels",
  ),
});

export const testReply = v.object({
  outcome: described(
    v.picklist(ATTEMPT_OUTCOMES),
    "sent; refused, permanently; failed, temporarily; unknown: everything was sent, and no reply came",
  ),
  detail: described(string, "what the remote replied, without secrets, or why there was no reply"),
  duration: described(v.number(), "milliseconds that the attempt took"),
});
