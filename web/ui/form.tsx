import { useSignal } from "@preact/signals";
import { type ComponentChildren, createContext, type TargetedSubmitEvent } from "preact";
import { useContext, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { FormDraft } from "../state/drafts.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { AroundForm } from "./dialog.tsx";
import { FormErrorContext, useFirstErrorShown } from "./form-error.tsx";
import { UI } from "./ui.texts.ts";
import { type Work, WorkError } from "./work.tsx";

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
      session.formEnded();
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
  return { ref, draft, isSent, set, ended: () => session.formEnded() };
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
        if (isDone) unsaved.ended();
        else unsaved.set(wasUnsaved);
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
            // biome-ignore lint/a11y/noAutofocus: a dialog has to focus something, and Enter must not delete
            autoFocus={danger === true}
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
