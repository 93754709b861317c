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

/** Attribute of an element with a list: the name of its hidden inputs, one for each item. */
const LIST = "data-list";

/** The names of the lists of a form, with their items. */
function listsOf(form: HTMLFormElement): Map<string, readonly string[]> {
  const names = [...form.querySelectorAll(`[${LIST}]`)].map((list) => list.getAttribute(LIST) ?? "");
  const items = new FormData(form);
  return new Map(names.map((name) => [name, items.getAll(name).map(String)]));
}

/** What was typed into a form. */
export class FormDraft {
  /** Values that are not back in the form yet. */
  readonly #values: Map<string, Value>;
  /** Items of the lists, which the components of the lists read when they are rendered. */
  readonly lists: ReadonlyMap<string, readonly string[]>;

  /** @param dialog title of the dialog around the form; null for a form of the page itself */
  constructor(
    form: HTMLFormElement,
    readonly dialog: string | null,
  ) {
    const values = inputsOf(form).map(
      (input) => [keyOf(input), isBox(input) ? input.checked : input.value] as const,
    );
    this.#values = new Map(values);
    this.lists = listsOf(form);
  }

  /** Puts values back into the inputs that the form has. More inputs may appear because of that. */
  fill(form: HTMLFormElement): void {
    for (const input of inputsOf(form)) {
      const value = this.#values.get(keyOf(input));
      if (value === undefined) continue;
      this.#values.delete(keyOf(input));
      // The other radio buttons change when the chosen one is set.
      if (input.type === "radio" && value !== true) continue;
      if (isBox(input)) input.checked = value === true;
      else input.value = String(value);
      // Components that follow an input read it when it changes.
      for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
}

/** What was typed into forms, in memory only, until the same user has signed in again. */
export class Drafts {
  readonly #drafts = new Map<string, FormDraft>();

  /**
   * @param key identifies the form, with the record that it changes
   * @param dialog title of the dialog around the form; null for a form of the page itself
   */
  keep(key: string, form: HTMLFormElement, dialog: string | null): void {
    this.#drafts.set(key, new FormDraft(form, dialog));
  }

  /** The title of the dialog whose draft was kept last; null if no dialog has a draft. */
  get dialog(): string | null {
    return [...this.#drafts.values()].findLast(({ dialog }) => dialog !== null)?.dialog ?? null;
  }

  /** Returns a kept draft and forgets it; null if there is none. */
  take(key: string): FormDraft | null {
    const draft = this.#drafts.get(key) ?? null;
    this.#drafts.delete(key);
    return draft;
  }

  clear(): void {
    this.#drafts.clear();
  }
}
