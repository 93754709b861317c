import { useEffect, useRef } from "preact/hooks";

/** A press that was no click, as on a disabled button, is over with the next key. */
const ENDS = ["click", "pointercancel", "keydown"] as const;

/**
 * Defers what moves the page while a button is pressed: a button that moves between press and release is not clicked.
 * By touch, an input loses the focus only after the release, and what is clicked then is looked up once more.
 * @returns runs an action at the click that ends the press, before the button acts; at once if nothing is pressed
 */
export function useRelease(): (action: () => void) => void {
  const isPressed = useRef(false);
  const deferred = useRef<(() => void) | null>(null);
  useEffect(() => {
    const press = ({ button }: PointerEvent) => {
      // Other buttons do not click.
      isPressed.current = button === 0;
    };
    const release = () => {
      isPressed.current = false;
      deferred.current?.();
      deferred.current = null;
    };
    // Captured: the button acts after them, and none of them can be stopped before.
    document.addEventListener("pointerdown", press, true);
    for (const end of ENDS) document.addEventListener(end, release, true);
    return () => {
      document.removeEventListener("pointerdown", press, true);
      for (const end of ENDS) document.removeEventListener(end, release, true);
    };
  }, []);
  return (action) => {
    if (isPressed.current) deferred.current = action;
    else action();
  };
}
