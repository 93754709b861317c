import { signal } from "@preact/signals";

export type ThemeChoice = "system" | "light" | "dark";
const KEY = "muster.theme";
const CHOICES: readonly ThemeChoice[] = ["system", "light", "dark"];

/** Dark or light colours. The system decides unless the user has chosen; the browser stores the choice. */
export class Theme {
  readonly choice = signal<ThemeChoice>("system");

  /**
   * Applies the stored choice, and the light theme while the page is printed. Styles for print could not do the latter:
   * charts keep the colours that they were drawn with.
   */
  restore(): void {
    const kept = localStorage.getItem(KEY);
    this.choose(CHOICES.find((choice) => choice === kept) ?? "system");
    addEventListener("beforeprint", () => this.#apply("light"));
    addEventListener("afterprint", () => this.#apply(this.choice.peek()));
  }

  choose(choice: ThemeChoice): void {
    this.choice.value = choice;
    if (choice === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
    this.#apply(choice);
  }

  #apply(choice: ThemeChoice): void {
    if (choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
  }

  /** system -> light -> dark -> system */
  next(): void {
    const at = CHOICES.indexOf(this.choice.peek());
    this.choose(CHOICES[(at + 1) % CHOICES.length] ?? "system");
  }
}
