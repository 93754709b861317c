import type { Setting } from "../api/types.ts";
import { MAIL_SERVER } from "../text/mail-server.texts.ts";
import { Field } from "./fields.tsx";
import { Select } from "./select.tsx";

export interface SettingText {
  label: string;
  hint?: string;
  /** Values with their names, for a choice instead of an input. */
  choices?: readonly (readonly [value: string, name: string])[];
  /** Masked, and never kept with a draft. */
  secret?: true;
  /** Whether the form cannot be sent without it. */
  required?: true;
}

interface SettingFieldProps {
  setting: Setting;
  text: SettingText;
  /** The name of the setting, in small print. */
  note?: string;
  /** Why the value was not accepted. */
  error?: string | undefined;
  required?: boolean;
}

/** The input of a setting of the service. */
export function SettingField({ setting, text, note, error, required = false }: SettingFieldProps) {
  const { name, value, kind, min, max } = setting;
  const { label } = text;
  const isKept = setting.set && value === "";
  const hint = isKept ? MAIL_SERVER.stored : text.hint;
  const shared = { label, name, ...(note && { note }), ...(hint && { hint }) };
  if (text.choices) return <Select {...shared} value={String(value)} options={text.choices} />;
  return (
    <Field
      {...shared}
      {...(error && { error })}
      type={text.secret ? "password" : kind === "number" ? "number" : "text"}
      revealable={text.secret === true}
      autoComplete="off"
      defaultValue={String(value)}
      min={min}
      max={max}
      required={required || kind === "number"}
    />
  );
}
