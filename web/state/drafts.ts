/** Form inputs, kept while an expired session is renewed. Never a secret. */

/** A text, or whether a box is checked. */
type Value = string | boolean;
type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Kinds of inputs that are never kept: secrets, files, and what the page itself fills in. */
const NEVER = new Set(["password", "file", "hidden", "submit", "button"]);

function inputsOf(form: HTMLFormElement): Input[] {
  return [...form.querySelectorAll<Input>("input[name], select[name], textarea[name]")].filter(
    (input) =>
      !NEVER.has(input.type) && input.autocomplete !== "one-time-code" && !("secret" in input.dataset),
  );
}

const isBox = (input: Input): input is HTMLInputElement =>
  input instanceof HTMLInputElement && (input.type === "checkbox" || input.type === "radio");

/** Identifies an input in its form. Several boxes may have the same name. */
const keyOf = (input: Input) => (isBox(input) ? `${input.name} ${input.value}` : input.name);

export class Drafts {
  readonly #drafts = new Map<string, Map<string, Value>>();

  keep(key: string, form: HTMLFormElement): void {
    const values = inputsOf(form).map(
      (input) => [keyOf(input), isBox(input) ? input.checked : input.value] as const,
    );
    this.#drafts.set(key, new Map(values));
  }

  /** Puts a kept draft back into the form and forgets it. @returns whether there was one */
  restore(key: string, form: HTMLFormElement): boolean {
    const draft = this.#drafts.get(key);
    if (!draft) return false;
    this.#drafts.delete(key);
    for (const input of inputsOf(form)) {
      const value = draft.get(keyOf(input));
      if (value === undefined) continue;
      if (isBox(input)) input.checked = value === true;
      else input.value = String(value);
      // Components that follow an input read it when it changes.
      for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
    }
    return true;
  }

  clear(): void {
    this.#drafts.clear();
  }
}
