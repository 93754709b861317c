import { useSignal } from "@preact/signals";
import { type ComponentChildren, createContext } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { leavePicture } from "./leaving.ts";
import { UI } from "./ui.texts.ts";

interface DialogProps {
  title: string;
  /** Tells the record that it changes from others that have the same title. */
  record?: string | number | undefined;
  onClose: () => void;
  /** A further class of the dialog. */
  class?: string;
  /** Escape does not close it, because its content would be lost. */
  sticky?: boolean;
  children: ComponentChildren;
}

/** The dialog around a form; null for a form of the page itself. */
export const AroundForm = createContext<Pick<DialogProps, "title" | "record"> | null>(null);

/** Asks, within a dialog, whether to discard unsaved input. It has the focus, which returns to the input after it. */
function DiscardQuestion({ onDiscard, onStay }: { onDiscard: () => void; onStay: () => void }) {
  const stay = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    stay.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div class="discard" role="alert">
      <p>{UI.discardQuestion}</p>
      <button type="button" class="danger" onClick={onDiscard}>
        {UI.discard}
      </button>
      <button ref={stay} type="button" onClick={onStay}>
        {UI.keepEditing}
      </button>
    </div>
  );
}

/** Does to the dialog around an element, if any, what Escape does. */
export function cancelAround(element: Element): void {
  element.closest("dialog")?.dispatchEvent(new Event("cancel", { cancelable: true }));
}

/** The one button of a dialog that only shows something. */
export function DoneButton({ onClick, children }: { onClick: () => void; children: ComponentChildren }) {
  return (
    <div class="form-buttons">
      <button type="button" class="primary" onClick={onClick}>
        {children}
      </button>
    </div>
  );
}

/** A modal dialog, open while it is mounted. Afterwards the focus returns to where it was, or to the page's heading. */
export function Dialog({ title, record, onClose, class: kind, sticky = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const asking = useSignal(false);
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      if (dialog) leavePicture(dialog);
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else document.querySelector<HTMLElement>("main h1")?.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={kind ? `dialog ${kind}` : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (sticky) return;
        if (asking.peek()) asking.value = false;
        else if (ref.current?.querySelector("form[data-unsaved]")) asking.value = true;
        else onClose();
      }}
      onKeyDown={(event) => {
        // Held since before it opened, Enter would confirm what it asks.
        if (event.repeat && event.key === "Enter" && !(event.target instanceof HTMLTextAreaElement))
          event.preventDefault();
      }}
      // Pressing Escape repeatedly closes a dialog despite "cancel". Its content would be lost.
      onClose={() => {
        ref.current?.showModal();
        ref.current?.querySelector<HTMLElement>(".discard button:last-child")?.focus();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      <AroundForm.Provider value={{ title, record }}>{children}</AroundForm.Provider>
      {asking.value && (
        <DiscardQuestion
          onDiscard={onClose}
          onStay={() => {
            asking.value = false;
          }}
        />
      )}
    </dialog>
  );
}
