/** Parts of a form of which there can be any number, such as the steps of a rule. */
import { useSignal } from "@preact/signals";
import type { TargetedMouseEvent } from "preact";
import { touch, useDraftedItems } from "./form.tsx";

export interface FormPart<T> {
  /** Distinguishes the fields of one part from those of another. */
  key: number;
  /** What its fields show at first. */
  initial: T;
}

type Click = TargetedMouseEvent<HTMLButtonElement>;

/**
 * The parts of a form, and the click handlers that add one and remove one. The element around them must have
 * `data-list`, and each part a hidden input with its key. The button that adds a part must be a child of that element:
 * it gets the focus when a part is removed together with its button.
 * @param name name of the list and of the hidden inputs
 * @param first the parts to begin with
 * @param next makes a new part, which may depend on the last one
 */
export function useFormParts<T>(name: string, first: readonly T[], next: (last?: T) => T) {
  const keys = useDraftedItems(name)?.map(Number) ?? first.map((_, key) => key);
  const parts = useSignal<readonly FormPart<T>[]>(
    keys.map((key) => ({ key, initial: first[key] ?? next() })),
  );
  const add = (event: Click) => {
    touch(event);
    const key = Math.max(-1, ...parts.peek().map((part) => part.key)) + 1;
    parts.value = [...parts.peek(), { key, initial: next(parts.peek().at(-1)?.initial) }];
  };
  const remove = (part: FormPart<T>) => (event: Click) => {
    touch(event);
    const list = event.currentTarget.closest("[data-list]");
    list?.querySelector<HTMLElement>(":scope > button")?.focus();
    parts.value = parts.peek().filter((other) => other !== part);
  };
  return { parts: parts.value, add, remove };
}
