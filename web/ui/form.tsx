import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useId } from "preact/hooks";
import { asProblem, type Problem } from "../api/client.ts";

/** Runs one piece of work at a time and remembers how it went. */
export function useWork() {
  const busy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  /** Gives whether the work succeeded. */
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy.peek()) return false;
    busy.value = true;
    problem.value = null;
    try {
      await work();
      return true;
    } catch (error) {
      problem.value = asProblem(error);
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { busy, problem, run };
}

export type Work = ReturnType<typeof useWork>;

/** Why the work failed, if it did. */
export function WorkProblem({ work }: { work: Work }) {
  const problem = work.problem.value;
  return (
    problem && (
      <p class="form-problem" role="alert">
        {problem.message}
      </p>
    )
  );
}

interface FormProps {
  work: Work;
  submit: string;
  /** A submit button for something that cannot be undone. */
  danger?: boolean;
  disabled?: boolean;
  onSubmit: (values: FormData) => Promise<unknown>;
  onCancel?: () => void;
  /** More buttons, between submit and cancel. */
  buttons?: ComponentChildren;
  children?: ComponentChildren;
}

/** A form that shows its progress and what went wrong. */
export function Form({ work, submit, danger, disabled, onSubmit, onCancel, buttons, children }: FormProps) {
  const send = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    void work.run(() => onSubmit(values));
  };
  return (
    <form class="form" onSubmit={send} aria-busy={work.busy.value}>
      {children}
      <WorkProblem work={work} />
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
  /** What is chosen; without `onChange` only at first. */
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  hint?: string;
  onChange?: (value: string) => void;
}

/** A labelled choice of one. Without `onChange` it keeps its own state, for the form around it to read. */
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

/** A labelled yes or no. */
export function Check({ label, name, checked }: { label: string; name: string; checked: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="1" defaultChecked={checked} />
      <span>{label}</span>
    </label>
  );
}

/** A text of a form, "" when there is none. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}
