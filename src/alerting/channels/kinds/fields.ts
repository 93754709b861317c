/** Declares the fields of a kind, and validates a channel's settings against them. */
import { webUrl } from "../../../platform/net/web-url.ts";
import type { ChannelField, ChannelKind, ChannelSettings, Fault } from "./channel-kind.ts";

/** Longest value of any field, characters. */
export const MAX_VALUE = 8192;
const MAX_LINE = 2048;

type FieldOptions = Partial<Pick<ChannelField, "required" | "initial" | "choices" | "shared">>;

/** Declares fields of a type; they are required unless the options say otherwise. */
function fieldOf(type: ChannelField["type"]) {
  return (name: string, label: string, doc: string, options: FieldOptions = {}): ChannelField => ({
    name,
    label,
    type,
    required: true,
    doc,
    ...options,
  });
}

export const textField = fieldOf("text");
export const secretField = fieldOf("secret");
export const urlField = fieldOf("url");
export const choiceField = fieldOf("choice");
export const linesField = fieldOf("lines");

/** Whether a text is an http or https URL without credentials. */
function isUsable(text: string): boolean {
  const url = webUrl(text);
  return url !== null && url.username === "" && url.password === "";
}

/** The only setting of a kind: a secret webhook address. @param doc which address */
export function webhookAddress(doc: string): Pick<ChannelKind, "fields" | "check"> {
  return {
    fields: [secretField("url", "Webhook address", doc)],
    check: ({ url = "" }) =>
      isUsable(url) ? null : { field: "url", allowed: "an address that begins with https://" },
  };
}

/** Validates one value. @returns the end of the sentence "<name> must be ..."; null if the value is valid */
function allowedOf({ type, required, choices = [], doc }: ChannelField, value: string): string | null {
  if (value === "") return required ? doc : null;
  if (type === "choice") return choices.includes(value) ? null : `one of ${choices.join(", ")}`;
  const control = type === "lines" ? /[^\P{Cc}\n\t]/u : /\p{Cc}/u;
  if (control.test(value)) return "a text without control characters";
  if (type === "url")
    return isUsable(value)
      ? null
      : "an address that begins with http:// or https://, without a password in it";
  return type === "lines" || value.length <= MAX_LINE ? null : `a text of at most ${MAX_LINE} characters`;
}

/** The value of every field: that of `settings`, otherwise the initial one. */
export function withInitials(kind: ChannelKind, settings: ChannelSettings): ChannelSettings {
  return Object.fromEntries(kind.fields.map(({ name, initial = "" }) => [name, settings[name] ?? initial]));
}

/** The first validation error of settings; null if they are valid. */
export function faultOf(kind: ChannelKind, settings: ChannelSettings): Fault | null {
  for (const field of kind.fields) {
    const allowed = allowedOf(field, settings[field.name] ?? "");
    if (allowed !== null) return { field: field.name, allowed };
  }
  return kind.check?.(settings) ?? null;
}

/** The names of a kind's secret fields. */
export function secretNames(kind: ChannelKind): ReadonlySet<string> {
  return new Set(kind.fields.filter(({ type }) => type === "secret").map(({ name }) => name));
}

/** The secrets that are set, keyed by field name. */
export function secretsOf(kind: ChannelKind, settings: ChannelSettings): Map<string, string> {
  return new Map(
    [...secretNames(kind)].flatMap((name) => (settings[name] ? [[name, settings[name]] as const] : [])),
  );
}

/** The non-empty lines of a field of type "lines". */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Appends a path to a base address, whether or not that ends in a slash. */
export function below(base: string, path: string): string {
  return base.replace(/\/+$/, "") + path;
}

/** The recipients of a channel who can each get a message of their own; empty if its kind has none. */
export function recipientsOf({ recipients }: ChannelKind, settings: ChannelSettings): string[] {
  return recipients === undefined ? [] : [...new Set(linesOf(settings[recipients] ?? ""))];
}

/** The settings with which a message goes to only one recipient. @param recipient "" for all of them */
export function addressedTo(
  { recipients }: ChannelKind,
  settings: ChannelSettings,
  recipient: string,
): ChannelSettings {
  return recipients === undefined || recipient === "" ? settings : { ...settings, [recipients]: recipient };
}
