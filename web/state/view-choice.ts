import { type Signal, signal } from "@preact/signals";

/** A choice that the browser stores. */
function remembered(key: string): Signal<boolean> {
  const choice = signal(localStorage.getItem(key) === "1");
  choice.subscribe((on) => {
    if (on) localStorage.setItem(key, "1");
    else localStorage.removeItem(key);
  });
  return choice;
}

/** How the user wants lists to look. */
export class ViewChoice {
  /** One line per row. */
  readonly dense = remembered("muster.dense");
  /** Shows the first steps in place of the overview, from when they were begun until they are finished or left. */
  readonly firstSteps = remembered("muster.first-steps");
  /** Hosts in sections, one per group. */
  readonly sections = remembered("muster.sections");
}
