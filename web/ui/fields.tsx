import { useSignal } from "@preact/signals";
import type { AriaAttributes } from "preact";
import { useId } from "preact/hooks";
import { useFieldError } from "./form-error.tsx";
import { UI } from "./ui.texts.ts";

export interface FieldProps {
  label: string;
  hint?: string;
  /** Small print beside the label. */
  note?: string;
  /** Why the value was not accepted. */
  error?: string;
  /** A password that a button shows. */
  revealable?: boolean;
  type?: "text" | "password" | "email" | "search" | "number" | "datetime-local" | "time" | "file";
  name?: string;
  value?: string;
  defaultValue?: string;
  placeholder?: string;
  required?: boolean;
  autoFocus?: boolean;
  autoComplete?: string;
  autoCapitalize?: "none";
  min?: number | undefined;
  max?: number | string | undefined;
  /** Of a datetime-local input: 1 lets it take seconds. */
  step?: number;
  minLength?: number;
  maxLength?: number;
  accept?: string;
  /** Role and state of an input that is a combobox. */
  aria?: AriaAttributes & { role?: "combobox" };
  onInput?: (event: { currentTarget: HTMLInputElement }) => void;
  onChange?: (event: { currentTarget: HTMLInputElement }) => void;
  onBlur?: () => void;
}

/** A labelled input. */
export function Field({
  label,
  hint,
  note,
  error: wrong,
  revealable = false,
  type,
  aria,
  ...input
}: FieldProps) {
  const id = useId();
  const notAccepted = useFieldError(input.name);
  const error = wrong ?? notAccepted;
  const isShown = useSignal(false);
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>
        {label}
        {note && <code class="field-note">{note}</code>}
      </label>
      <input
        {...(input as object)}
        {...aria}
        {...((type && { type: isShown.value ? "text" : type }) as object)}
        {...(described && { "aria-describedby": described })}
        {...(error && { "aria-invalid": "true" })}
        data-secret={type === "password" ? "" : undefined}
        id={id}
      />
      {revealable && (
        <button
          type="button"
          class="small reveal"
          aria-controls={id}
          aria-label={isShown.value ? UI.hideOf(label) : UI.showOf(label)}
          onClick={() => {
            isShown.value = !isShown.peek();
          }}
        >
          {isShown.value ? UI.hide : UI.show}
        </button>
      )}
      {error && (
        <small id={`${id}-error`} class="field-error" {...(!wrong && { role: "alert", "data-failed": "" })}>
          {error}
        </small>
      )}
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface TextAreaProps extends Pick<FieldProps, "label" | "hint"> {
  name: string;
  rows: number;
  defaultValue?: string;
  required?: boolean;
  autoFocus?: boolean;
  maxLength?: number;
  spellcheck?: boolean;
  onInput?: () => void;
}

/** A labelled input for several lines of text. */
export function TextArea({ label, hint, ...area }: TextAreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea {...(area as object)} id={id} {...(hint && { "aria-describedby": `${id}-hint` })} />
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}
