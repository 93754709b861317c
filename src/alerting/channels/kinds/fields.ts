/** Settings of a channel, held against the fields of its kind. */
import type { ChannelField, ChannelKind, ChannelSettings, Fault } from "./channel-kind.ts";

/** Longest value of any field, characters. */
export const MAX_VALUE = 8192;
const MAX_LINE = 2048;

/** @returns the URL; null unless it is one of http or https without credentials */
export function httpUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isUsable = url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isUsable ? url : null;
}

/** A check that the named secret is an address, where one is the key to itself. */
export function secretAddress(field: string): (settings: ChannelSettings) => Fault | null {
  return (settings) =>
    httpUrl(settings[field] ?? "") ? null : { field, allowed: "an address that begins with https://" };
}

/** What is wrong with one value, as the end of "<name> must be ..."; null when nothing is. */
function allowedOf({ type, required, choices = [], doc }: ChannelField, value: string): string | null {
  if (value === "") return required ? doc : null;
  if (type === "choice") return choices.includes(value) ? null : `one of ${choices.join(", ")}`;
  const control = type === "lines" ? /[^\P{Cc}\n\t]/u : /\p{Cc}/u;
  if (control.test(value)) return "a text without control characters";
  if (type === "url")
    return httpUrl(value)
      ? null
      : "an address that begins with http:// or https://, without a password in it";
  return type === "lines" || value.length <= MAX_LINE ? null : `a text of at most ${MAX_LINE} characters`;
}

/** Every field with its value: as given, otherwise its initial one. */
export function withInitials(kind: ChannelKind, given: ChannelSettings): ChannelSettings {
  return Object.fromEntries(kind.fields.map(({ name, initial = "" }) => [name, given[name] ?? initial]));
}

/** The first thing that is wrong with settings; null when they will do. */
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

/** The secrets of settings, by the names of their fields; those that are not set are left out. */
export function secretsOf(kind: ChannelKind, settings: ChannelSettings): Map<string, string> {
  return new Map(
    [...secretNames(kind)].flatMap((name) => (settings[name] ? [[name, settings[name]] as const] : [])),
  );
}

/** A field of type "lines" as its lines, without the empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** A base address with a path after it, whether the base ends in a slash or not. */
export function below(base: string, path: string): string {
  return base.replace(/\/+$/, "") + path;
}
