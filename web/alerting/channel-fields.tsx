import type { SettingsReply } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { capitalize } from "../text/format.ts";
import { Field, TextArea } from "../ui/fields.tsx";
import { textOf } from "../ui/form-values.ts";
import { Check, Select } from "../ui/select.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { Channel, ChannelField } from "./types.ts";

/** Name of the input for a setting. */
const inputOf = (field: ChannelField) => `setting.${field.name}`;

/** The input of one setting. The API never returns a stored secret; an empty input keeps it. */
export function ChannelSetting({ field, channel }: { field: ChannelField; channel: Channel | null }) {
  const { type, label, required, initial } = field;
  const hint = capitalize(field.doc);
  const value = channel?.settings[field.name] ?? initial;
  const name = inputOf(field);
  if (type === "choice")
    return (
      <Select
        label={label}
        name={name}
        value={value}
        options={field.choices.map((choice) => [choice, choice])}
        hint={hint}
      />
    );
  if (type === "lines")
    return (
      <TextArea label={label} name={name} rows={4} defaultValue={value} hint={hint} required={required} />
    );
  if (type !== "secret")
    return <Field label={label} name={name} defaultValue={value} hint={hint} required={required} />;
  const isSet = channel?.secrets.includes(field.name) ?? false;
  return (
    <>
      <Field
        label={label}
        name={name}
        type="password"
        autoComplete="new-password"
        hint={isSet ? CHANNELS.stored(hint) : hint}
        required={required && !isSet}
      />
      {isSet && !required && (
        <Check label={CHANNELS.forget(label)} name={`forget.${field.name}`} checked={false} />
      )}
    </>
  );
}

/** Whether the settings of Muster have a mail server; null while that is not known. */
function useSharedServer(skip: boolean): boolean | null {
  const reply = useResource<SettingsReply>("/admin/settings/get", {}, { skip }).data.value;
  return reply?.settings.some(({ name, set }) => name === "mailhost" && set) ?? null;
}

interface ChannelSettingsProps {
  fields: readonly ChannelField[];
  channel: Channel | null;
}

/**
 * The inputs of a channel. A mail server of its own is folded away while Muster's settings have one, and until that is
 * known; it is open if this channel uses one.
 */
export function ChannelSettings({ fields, channel }: ChannelSettingsProps) {
  const shared = fields.filter((field) => field.shared);
  const hasServer = useSharedServer(shared.length === 0);
  const inputs = (ofFields: readonly ChannelField[]) =>
    ofFields.map((field) => <ChannelSetting key={field.name} field={field} channel={channel} />);
  const isOwn = shared.some(({ name, initial }) => (channel?.settings[name] ?? initial) !== initial);
  return (
    <>
      {inputs(fields.filter((field) => !field.shared))}
      {shared.length > 0 && (
        <details open={isOwn || hasServer === false}>
          <summary>{CHANNELS.ownServer}</summary>
          <div class="form">{inputs(shared)}</div>
        </details>
      )}
    </>
  );
}

/** The settings in the form. A secret that is left empty keeps its value, unless it is to be forgotten. */
export function settingsIn(fields: readonly ChannelField[], values: FormData): Record<string, string> {
  const settings = fields.map((field) => [field, textOf(values, inputOf(field))] as const);
  const toSend = settings.filter(
    ([{ type, name }, value]) => type !== "secret" || value !== "" || values.has(`forget.${name}`),
  );
  return Object.fromEntries(toSend.map(([{ name }, value]) => [name, value]));
}
