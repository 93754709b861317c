import { useSignal } from "@preact/signals";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Address } from "../state/router.ts";
import { UI } from "./ui.texts.ts";

/**
 * Focuses the heading of the page, or a button of the open dialog, if what had the focus is gone, as the button
 * of a record that was deleted.
 */
export function keepFocus(): void {
  // The page is rendered before the timer.
  setTimeout(() => {
    if (document.activeElement === document.body)
      document
        .querySelector<HTMLElement>("dialog[open] button:enabled, main:not(:has(dialog[open])) h1")
        ?.focus({ preventScroll: true });
  });
}

/** What the notice says after one of several dialogs. */
export const savedOrDeleted = ({ name }: { name: string }) => (name === "delete" ? UI.deleted : UI.saved);

/**
 * The dialogs of a list or a record, at most one of which is open. When one is closed, the list or record is read again,
 * also after a change that failed: the record may have been deleted elsewhere.
 * @param changed text of the notice after a change, which may depend on the dialog
 */
export function useDialog<T extends object>(
  refresh: () => unknown,
  changed: string | ((dialog: T) => string) = UI.saved,
) {
  const notify = useNotify();
  const dialog = useSignal<T | null>(null);
  return {
    /** The open dialog, with its record. */
    dialog: dialog.value,
    /** Returns the click handler that opens a dialog. */
    open: (next: T) => () => {
      dialog.value = next;
    },
    /** @param done whether something was changed */
    onClose: (done: boolean) => {
      const closed = dialog.peek();
      dialog.value = null;
      void Promise.resolve(refresh()).then(keepFocus);
      if (!done) return;
      // Null if the dialog was opened by the address, as that of a new record is.
      const text = typeof changed === "string" ? changed : closed && changed(closed);
      notify(text ?? UI.saved);
    },
  };
}

/** Whether an address opens the dialog that creates a record. */
export function opensDialog({ query }: Address): boolean {
  return query.get("new") === "1";
}

/** The dialog that creates a record. It is open while the address says so, so that a link can open it. */
export function useCreating(onClosed: (done: boolean) => void) {
  const { router } = useMuster();
  return {
    open: opensDialog(router.address.value),
    /** @param done whether something was created */
    close: (done: boolean) => {
      router.setQuery({ new: null });
      onClosed(done);
    },
  };
}
