/** Settings as they are given by arguments, made into settings as they are stored. */
import { errors } from "../../platform/http/errors.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { SETTING_PREFIX } from "./channels.schemas.ts";
import type { ChannelKind, ChannelSettings } from "./kinds/channel-kind.ts";
import { faultOf, secretNames, withInitials } from "./kinds/fields.ts";

/** Settings as they are stored. Empty when the key to them was lost. */
export function openSettings(box: SecretBox, sealed: string): ChannelSettings {
  const text = box.open(sealed);
  return text === "" ? {} : (JSON.parse(text) as ChannelSettings);
}

/** @throws ApiError 400 when a kind has no setting of a name */
export function refuseForeign(kind: ChannelKind, given: ChannelSettings): void {
  const names = new Set(kind.fields.map(({ name }) => name));
  const foreign = Object.keys(given).find((name) => given[name] !== "" && !names.has(name));
  if (foreign !== undefined)
    throw errors.badArgument(SETTING_PREFIX + foreign, `left out: the kind ${kind.kind} has no such setting`);
}

/** All settings of a kind, those that were not given as they are initially. @throws ApiError 400 */
export function checkedSettings(kind: ChannelKind, given: ChannelSettings): ChannelSettings {
  refuseForeign(kind, given);
  const settings = withInitials(kind, given);
  const fault = faultOf(kind, settings);
  if (!fault) return settings;
  const name = SETTING_PREFIX + fault.field;
  throw settings[fault.field] === ""
    ? errors.missingArgument(name, fault.allowed)
    : errors.badArgument(name, fault.allowed);
}

/**
 * Stored settings with a change. Secrets that are given empty are kept.
 * @param forget names of secrets to take away
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
