import { useSignal } from "@preact/signals";
import { useContext } from "preact/hooks";
import { type ApiError, asApiError } from "../api/client.ts";
import { FormErrorContext, fieldOf } from "./form-error.tsx";

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
