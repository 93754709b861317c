/** Reads and checks the settings of channels. */
import { errors } from "../../platform/http/errors.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { ChannelKind, ChannelSettings } from "./kinds/channel-kind.ts";
import { faultOf, withInitials } from "./kinds/fields.ts";

/** Decrypts stored settings. Empty if their encryption key was lost. */
export function openSettings(box: SecretBox, sealed: string): ChannelSettings {
  const text = box.open(sealed);
  return text === "" ? {} : (JSON.parse(text) as ChannelSettings);
}

/** @throws ApiError 400 if `requested` names a setting that the kind does not have */
export function rejectUnknownSettings(kind: ChannelKind, requested: ChannelSettings): void {
  const names = new Set(kind.fields.map(({ name }) => name));
  const foreign = Object.keys(requested).find((name) => requested[name] !== "" && !names.has(name));
  if (foreign !== undefined)
    throw errors.badArgument(`settings.${foreign}`, `left out: the kind ${kind.kind} has no such setting`);
}

/** The settings, completed by those of Muster that the channel inherits. */
export function inherited(
  kind: ChannelKind,
  settings: ChannelSettings,
  shared: SettingsReader,
): ChannelSettings {
  return kind.inherit?.(settings, shared) ?? settings;
}

/** Every setting of a kind, with initial values where none is requested. @throws ApiError 400 */
export function checkedSettings(
  kind: ChannelKind,
  requested: ChannelSettings,
  shared: SettingsReader,
): ChannelSettings {
  rejectUnknownSettings(kind, requested);
  const settings = withInitials(kind, requested);
  const fault = faultOf(kind, inherited(kind, settings, shared));
  if (!fault) return settings;
  const name = `settings.${fault.field}`;
  throw settings[fault.field] === ""
    ? errors.missingArgument(name, fault.allowed)
    : errors.badArgument(name, fault.allowed);
}
