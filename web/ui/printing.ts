import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Whether the page is being printed. */
export function usePrinting(): boolean {
  const printing = useSignal(false);
  useEffect(() => {
    const begin = () => {
      printing.value = true;
    };
    const end = () => {
      printing.value = false;
    };
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return printing.value;
}

/**
 * Prints the page. Components that listen for it render first: while `print` runs, nothing renders, and what they
 * change for paper would come too late.
 */
export function printPage(): void {
  dispatchEvent(new Event("beforeprint"));
  setTimeout(() => print());
}
