/** Turns channel settings given as arguments into settings as they are stored. */
import { errors } from "../../platform/http/errors.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { SETTING_PREFIX } from "./channels.schemas.ts";
import type { ChannelKind, ChannelSettings } from "./kinds/channel-kind.ts";
import { faultOf, secretNames, withInitials } from "./kinds/fields.ts";

/** Decrypts stored settings. Empty if their encryption key was lost. */
export function openSettings(box: SecretBox, sealed: string): ChannelSettings {
  const text = box.open(sealed);
  return text === "" ? {} : (JSON.parse(text) as ChannelSettings);
}

/** @throws ApiError 400 if `given` names a setting that the kind does not have */
export function rejectUnknownSettings(kind: ChannelKind, given: ChannelSettings): void {
  const names = new Set(kind.fields.map(({ name }) => name));
  const foreign = Object.keys(given).find((name) => given[name] !== "" && !names.has(name));
  if (foreign !== undefined)
    throw errors.badArgument(SETTING_PREFIX + foreign, `left out: the kind ${kind.kind} has no such setting`);
}

/** Every setting of a kind, with initial values where none is given. @throws ApiError 400 */
export function checkedSettings(kind: ChannelKind, given: ChannelSettings): ChannelSettings {
  rejectUnknownSettings(kind, given);
  const settings = withInitials(kind, given);
  const fault = faultOf(kind, settings);
  if (!fault) return settings;
  const name = SETTING_PREFIX + fault.field;
  throw settings[fault.field] === ""
    ? errors.missingArgument(name, fault.allowed)
    : errors.badArgument(name, fault.allowed);
}

/**
 * Applies a change to stored settings. A secret given as "" keeps its value.
 * @param forget names of secrets to remove
 * @throws ApiError 400
 */
export function changedSettings(
  kind: ChannelKind,
  stored: ChannelSettings,
  given: ChannelSettings,
  forget: readonly string[],
): ChannelSettings {
  const secrets = secretNames(kind);
  if (!forget.every((name) => secrets.has(name)))
    throw errors.badArgument("forget", `one of ${[...secrets].join(", ") || "none"}`);
  const gone = forget.map((name) => [name, ""] as const);
  const kept = Object.entries(given).filter(([name, value]) => value !== "" || !secrets.has(name));
  return checkedSettings(kind, { ...stored, ...Object.fromEntries(gone), ...Object.fromEntries(kept) });
}
