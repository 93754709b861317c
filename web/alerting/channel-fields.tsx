import { useId } from "preact/hooks";
import { capitalize } from "../text/format.ts";
import { Check, Field, Select, textOf } from "../ui/form.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { Channel, ChannelField } from "./types.ts";

const argumentOf = (field: ChannelField) => `setting.${field.name}`;

function Lines({ field, value }: { field: ChannelField; value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <textarea
        id={id}
        name={argumentOf(field)}
        rows={4}
        defaultValue={value}
        required={field.required}
        aria-describedby={`${id}-hint`}
      />
      <small id={`${id}-hint`} class="hint">
        {capitalize(field.doc)}
      </small>
    </div>
  );
}

/** The input of one setting. The API never returns a stored secret; an empty input keeps it. */
export function ChannelSetting({ field, channel }: { field: ChannelField; channel: Channel | null }) {
  const { type, label, required, initial } = field;
  const hint = capitalize(field.doc);
  const value = channel?.settings[field.name] ?? initial;
  const name = argumentOf(field);
  if (type === "choice")
    return (
      <Select
        label={label}
        name={name}
        value={value}
        options={field.choices.map((one) => [one, one])}
        hint={hint}
      />
    );
  if (type === "lines") return <Lines field={field} value={value} />;
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

/** The settings in the form as arguments. */
export const settingArguments = (fields: readonly ChannelField[], values: FormData) =>
  Object.fromEntries(fields.map((field) => [argumentOf(field), textOf(values, argumentOf(field))]));
