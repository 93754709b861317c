/**
 * Keys that act on one item of a list, or on the object of the page. Items are marked with `data-row`; their controls
 * have their key in `aria-keyshortcuts`. A key has the same effect as a click on the control.
 */

/** Keys of controls: acknowledge, mute, peek, select. */
const CONTROLS = new Set(["a", "m", "p", "x"]);
const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

const isShown = (element: HTMLElement) => element.offsetParent !== null;

function itemsOfPage(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("main [data-row]")].filter(isShown);
}

function step(by: number): boolean {
  const items = itemsOfPage();
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const item = items[Math.max(0, Math.min(items.length - 1, at + by))];
  if (!item) return false;
  // The selectors are tried in turn: as one list, they would find the first element of the item, such as its checkbox.
  const target = ["[data-opens]", "th a", "a, button, input"]
    .map((selector) => item.querySelector<HTMLElement>(selector))
    .find((element) => element !== null);
  if (!target) return false;
  target.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
  return true;
}

/** The controls of the page that have a key and can be used. */
export function controlsOfPage(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("main [aria-keyshortcuts]:not(:disabled)")].filter(
    isShown,
  );
}

function press(key: string): boolean {
  const item = document.activeElement?.closest<HTMLElement>("[data-row]");
  const controls = controlsOfPage().filter(
    (control) =>
      control.getAttribute("aria-keyshortcuts") === key.toUpperCase() && (!item || item.contains(control)),
  );
  const [control] = controls;
  // Without an item, the key must belong to only one control of the page.
  if (!control || (!item && controls.length > 1)) return false;
  control.click();
  return true;
}

/** Performs the action of a key. @returns whether the key has an action here */
export function actOnItem(key: string): boolean {
  const by = STEPS[key];
  if (by !== undefined) return step(by);
  return CONTROLS.has(key) && press(key);
}
