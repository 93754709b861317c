import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useId } from "preact/hooks";
import { type ApiError, asApiError } from "../api/client.ts";

/** Runs one task at a time, and knows whether one is running and why the last one failed. */
export function useWork() {
  const busy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  /** Returns whether the task succeeded. While one is running, another is not started. */
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy.peek()) return false;
    busy.value = true;
    error.value = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      error.value = asApiError(thrown);
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { busy, error, run };
}

export type Work = ReturnType<typeof useWork>;

/** Why the last task failed, if it did. */
export function WorkError({ work }: { work: Work }) {
  const error = work.error.value;
  return (
    error && (
      <p class="form-error" role="alert">
        {error.message}
      </p>
    )
  );
}

interface FormProps {
  work: Work;
  submit: string;
  /** The action cannot be undone, which the submit button shows. */
  danger?: boolean;
  disabled?: boolean;
  onSubmit: (values: FormData) => Promise<unknown>;
  onCancel?: () => void;
  /** More buttons, between submit and cancel. */
  buttons?: ComponentChildren;
  children?: ComponentChildren;
}

/** A form that shows its progress and its error. */
export function Form({ work, submit, danger, disabled, onSubmit, onCancel, buttons, children }: FormProps) {
  const send = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    void work.run(() => onSubmit(values));
  };
  return (
    <form class="form" onSubmit={send} aria-busy={work.busy.value}>
      {children}
      <WorkError work={work} />
      <div class="form-buttons">
        <button
          type="submit"
          class={danger ? "danger" : "primary"}
          disabled={work.busy.value || disabled === true}
        >
          {work.busy.value ? "Working..." : submit}
        </button>
        {buttons}
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  label: string;
  hint?: string;
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
  max?: number | undefined;
  minLength?: number;
  maxLength?: number;
  accept?: string;
  onInput?: (event: { currentTarget: HTMLInputElement }) => void;
  onChange?: (event: { currentTarget: HTMLInputElement }) => void;
}

/** A labelled input. */
export function Field({ label, hint, ...input }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...(input as object)} {...(hint && { "aria-describedby": `${id}-hint` })} id={id} />
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface SelectProps {
  label: string;
  name: string;
  /** The chosen value; without `onChange`, the initial one. */
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  hint?: string;
  onChange?: (value: string) => void;
}

/** A labelled choice of one. Without `onChange` it keeps its own state, which the form around it reads. */
export function Select({ label, name, value, options, hint, onChange }: SelectProps) {
  const id = useId();
  const controlled = onChange !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        {...(hint && { "aria-describedby": `${id}-hint` })}
        {...(controlled && { value, onChange: (event) => onChange(event.currentTarget.value) })}
      >
        {options.map(([key, text]) => (
          <option
            key={key}
            value={key}
            {...(controlled ? { selected: key === value } : { defaultSelected: key === value })}
          >
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

/** A labelled checkbox. */
export function Check({ label, name, checked }: { label: string; name: string; checked: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="1" defaultChecked={checked} />
      <span>{label}</span>
    </label>
  );
}

/** A text value of a form; "" when there is none. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}
