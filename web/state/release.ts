/** A press that was no click, as on a disabled button, is over with the next key. */
const ENDS = ["click", "contextmenu", "pointercancel", "keydown"];
/** So is one that takes longer, milliseconds: its end may never be told, as after a long touch. */
const LONGEST_PRESS_MS = 5000;

/** What waits for the end of the press; null while nothing is pressed. */
let waiting: (() => void)[] | null = null;

/** Learns of presses from now on. What moves the page waits for their end: a button that moves away is not clicked. */
export function watchPresses(): void {
  let longest: ReturnType<typeof setTimeout>;
  const end = () => {
    const actions = waiting ?? [];
    waiting = null;
    for (const action of actions) action();
  };
  // Captured: the button acts after them, and none of them can be stopped before.
  for (const type of ENDS) document.addEventListener(type, end, true);
  document.addEventListener(
    "pointerdown",
    ({ button }) => {
      // Other buttons do not click.
      if (button !== 0) return;
      waiting ??= [];
      clearTimeout(longest);
      longest = setTimeout(end, LONGEST_PRESS_MS);
    },
    true,
  );
}

/**
 * Runs an action at the click that ends the press, before the button acts; at once if nothing is pressed. By touch, an
 * input loses the focus only after the release, and what is clicked then is looked up once more.
 */
export function whenReleased(action: () => void): void {
  if (waiting) waiting.push(action);
  else action();
}

/** Resolves once the button that is pressed has acted; at once if nothing is pressed. */
export function afterPress(): Promise<void> | undefined {
  return waiting ? new Promise((resolve) => waiting?.push(() => setTimeout(resolve))) : undefined;
}
