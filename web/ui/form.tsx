import { useSignal } from "@preact/signals";
import { type AriaAttributes, type ComponentChildren, createContext, type TargetedSubmitEvent } from "preact";
import { useContext, useEffect, useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ApiError, asApiError } from "../api/client.ts";
import type { FormDraft } from "../state/drafts.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { AroundForm } from "./dialog.tsx";
import { FormErrorContext, fieldOf, useFieldError, useFirstErrorShown } from "./form-error.tsx";
import { UI } from "./ui.texts.ts";

/**
 * Returns the focus to the button of a task, which lost it if it was disabled while the task ran. If the task leaves the
 * button disabled, as that which moves a rule up does at the top, the first of the buttons beside it gets the focus.
 */
function returnFocus(pressed: Element | null): void {
  if (!(pressed instanceof HTMLButtonElement)) return;
  // The page is rendered before the timer.
  setTimeout(() => {
    const current = document.activeElement;
    // A button that was just disabled has the focus until the next frame.
    if (current !== document.body && !(current === pressed && pressed.disabled)) return;
    const usable = pressed.disabled ? pressed.parentElement?.querySelector("button:enabled") : pressed;
    if (usable instanceof HTMLButtonElement) usable.focus({ preventScroll: true });
  });
}

/** Runs one task at a time, and knows whether one is running and why the last one failed. */
export function useWork() {
  const busy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  /** Returns whether the task succeeded. While one is running, another is not started. */
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy.peek()) return false;
    const pressed = document.activeElement;
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
      returnFocus(pressed);
    }
  };
  return { busy, error, run };
}

export type Work = ReturnType<typeof useWork>;

/** Why the last task failed, if it did, unless a field of the form says so. */
export function WorkError({ work }: { work: Work }) {
  const form = useContext(FormErrorContext);
  const error = work.error.value;
  if (form?.error === work.error && fieldOf(error, form.names) !== undefined) return null;
  return (
    error && (
      <p class="form-error" role="alert" data-failed={form?.error === work.error ? "" : undefined}>
        {error.message}
      </p>
    )
  );
}

interface FormProps {
  work: Work;
  submit: string;
  /** Tells the form from others of its page when a draft is put back. Needed where the text of the button varies. */
  name?: string;
  /** The action cannot be undone, which the submit button shows. */
  danger?: boolean;
  disabled?: boolean;
  /** False: what is typed can be lost without a question, as that of a sign-in. */
  guarded?: boolean;
  /** The values have the name of a further submit button, if that was pressed. */
  onSubmit: (values: FormData) => Promise<unknown>;
  onCancel?: () => void;
  /** More buttons, between submit and cancel. */
  buttons?: ComponentChildren;
  children?: ComponentChildren;
}

/** Marks the form of a button or an input as changed, where no input event does. */
export function touch({
  currentTarget: { form },
}: {
  currentTarget: HTMLButtonElement | HTMLInputElement;
}): void {
  form?.dispatchEvent(new Event("input", { bubbles: true }));
}

/** The draft that is put back into the form around. */
const DraftContext = createContext<FormDraft | null>(null);

/** The items that a list of the form had when the session expired; undefined if none are to be restored. */
export function useDraftedItems(name: string): readonly string[] | undefined {
  return useContext(DraftContext)?.lists.get(name);
}

/** Marks a form with unsaved changes, which its dialog looks for. */
const UNSAVED = "data-unsaved";

/**
 * Protects the input of a form: leaving the page requires confirmation, and if the session expires, everything except
 * secrets is restored after the next sign-in.
 */
function useUnsaved(name: string) {
  const { drafts, router, session } = useMuster();
  const notify = useNotify();
  const ref = useRef<HTMLFormElement>(null);
  /** The changes are being sent, and the reply may be that the session has expired. */
  const isSent = useRef(false);
  const dialog = useContext(AroundForm);
  // A dialog says which record it changes. A page has it in its address, whose other arguments may have changed since.
  const key = () => {
    const { path, query } = router.address.peek();
    return [path, ...(dialog ? [dialog.title, dialog.record] : [query]), name].join("\n");
  };
  useLayoutEffect(() => {
    const form = ref.current;
    return () => {
      const isUnsaved = isSent.current || form?.hasAttribute(UNSAVED);
      if (form && isUnsaved && session.expired.peek()) drafts.keep(key(), form, dialog?.title ?? null);
      router.setUnsaved(ref, false);
    };
  }, []);
  const draft = useMemo(() => drafts.take(key()), []);
  /** Counts the changes of what the form has: a restored choice may have more inputs appear. */
  const changes = useSignal(0);
  useEffect(() => {
    if (!ref.current || !draft) return;
    notify(UI.typedIsBack);
    const observer = new MutationObserver(() => {
      changes.value = changes.peek() + 1;
    });
    observer.observe(ref.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  // After the effects of new inputs, which may set their initial values.
  useEffect(() => {
    if (ref.current) draft?.fill(ref.current);
  }, [changes.value]);
  const set = (isUnsaved: boolean) => {
    // The user has left the form, and its task has ended since.
    if (!ref.current) return;
    // Not a state of the component: rendering between the input and the change event of a checkbox would reset it.
    ref.current.toggleAttribute(UNSAVED, isUnsaved);
    router.setUnsaved(ref, isUnsaved);
  };
  return { ref, draft, isSent, set };
}

/** A form that shows its progress and its error. */
export function Form({ work, submit, name = submit, danger, disabled, onSubmit, ...props }: FormProps) {
  const { guarded = true, onCancel, buttons, children } = props;
  const unsaved = useUnsaved(name);
  const errors = useMemo(() => ({ error: work.error, names: new Set<string>() }), [work.error]);
  useFirstErrorShown(unsaved.ref, work.error.value);
  const send = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget, event.submitter);
    const wasUnsaved = event.currentTarget.hasAttribute(UNSAVED);
    // Saved before the page is left: `onSubmit` may go elsewhere.
    unsaved.set(false);
    unsaved.isSent.current = wasUnsaved;
    void work
      .run(() => onSubmit(values))
      .then((isDone) => {
        unsaved.isSent.current = false;
        if (!isDone) unsaved.set(wasUnsaved);
      });
  };
  return (
    <form
      ref={unsaved.ref}
      class="form"
      onSubmit={send}
      onInput={() => {
        if (guarded) unsaved.set(true);
      }}
      aria-busy={work.busy.value}
    >
      <FormErrorContext.Provider value={errors}>
        <DraftContext.Provider value={unsaved.draft}>{children}</DraftContext.Provider>
        <WorkError work={work} />
      </FormErrorContext.Provider>
      <div class="form-buttons">
        <button
          type="submit"
          class={danger ? "danger" : "primary"}
          disabled={work.busy.value || disabled === true}
        >
          {work.busy.value ? UI.working : submit}
        </button>
        {buttons}
        {onCancel && (
          <button
            type="button"
            onClick={() => {
              unsaved.set(false);
              onCancel();
            }}
          >
            {UI.cancel}
          </button>
        )}
      </div>
    </form>
  );
}

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

interface SelectProps {
  label: string;
  name: string;
  /** The chosen value; without `onChange`, the initial one. */
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  hint?: string;
  /** Small print beside the label. */
  note?: string;
  onChange?: (value: string) => void;
}

/** A labelled choice of one option. Without `onChange` it keeps its own state, which the form around it reads. */
export function Select({ label, name, value, options, hint, note, onChange }: SelectProps) {
  const id = useId();
  const controlled = onChange !== undefined;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {note && <code class="field-note">{note}</code>}
      </label>
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

interface CheckProps {
  label: string;
  name?: string;
  /** Whether it is checked; without `onChange`, at first. */
  checked: boolean;
  onChange?: (checked: boolean) => void;
}

/** A labelled checkbox. Without `onChange` it keeps its own state, which the form around it reads. */
export function Check({ label, name, checked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        value="1"
        {...(onChange
          ? { checked, onChange: (event) => onChange(event.currentTarget.checked) }
          : { defaultChecked: checked })}
      />
      <span>{label}</span>
    </label>
  );
}

/** A text value of a form; "" when there is none. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}

/** Commas that separate thousands, or one that could also stand before decimals. */
const THOUSANDS = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/**
 * A typed number, with a comma or a point before decimals; null if there is none. Any other text is sent unchanged,
 * so that the service can report the error.
 * @throws ApiError if the comma could separate thousands: "1,000"
 */
export function decimalOf(values: FormData, name: string): number | string | null {
  const entered = textOf(values, name).trim();
  if (THOUSANDS.test(entered)) throw new ApiError(400, "argument.invalid", UI.whichComma, name);
  const typed = entered.replace(",", ".");
  if (typed === "") return null;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
}
