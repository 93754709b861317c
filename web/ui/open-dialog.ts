import { useSignal } from "@preact/signals";
import { useAnnounce } from "../state/muster.ts";

/**
 * Which question is open over a list: a form, or whether something is to be deleted. Once it did something, that is said
 * and the list is read anew.
 */
export function useAsking<T extends object>(refresh: () => Promise<void>) {
  const announce = useAnnounce();
  const asking = useSignal<T | null>(null);
  return {
    open: asking.value,
    /** What a button does. */
    ask: (next: T) => () => {
      asking.value = next;
    },
    onClose: (done: boolean) => {
      asking.value = null;
      if (!done) return;
      announce("Saved");
      void refresh();
    },
  };
}
