/** Fields that choose several values, and how they are read. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { itemsOf } from "../text/comma-list.ts";
import { PICK } from "./choices.texts.ts";
import { type PickerProps, PickOne } from "./combobox.tsx";
import { touch, useDraftedItems } from "./form.tsx";
import { textOf } from "./form-values.ts";
import { Icon } from "./icon.tsx";

/** A value and its label. */
type Option = readonly [value: string | number, text: string];

interface CheckboxGroupProps {
  legend: string;
  name: string;
  options: readonly Option[];
  chosen: readonly (string | number)[];
  /** Shown when there is nothing to choose from. */
  none?: ComponentChildren;
  hint?: string;
  /** Why the form is not sent while nothing is chosen; absent if a choice is optional. */
  required?: string | undefined;
}

/** Sets the browser's message for a group of checkboxes in which none is checked. */
function useRequired(required: string | undefined) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const check = () => {
    const boxes = [...(frame.current?.querySelectorAll("input") ?? [])];
    const isMissing = required !== undefined && !boxes.some(({ checked }) => checked);
    boxes[0]?.setCustomValidity(isMissing ? required : "");
  };
  useLayoutEffect(check);
  return { frame, check };
}

/** A choice of several among a few options. */
export function CheckboxGroup({ legend, name, options, chosen, none, hint, required }: CheckboxGroupProps) {
  const { frame, check } = useRequired(required);
  return (
    <fieldset ref={frame} class="checks" onChange={check}>
      <legend>{legend}</legend>
      {options.length === 0 && <p class="hint">{none}</p>}
      <div class="check-list">
        {options.map(([value, text]) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
      {hint && <p class="hint">{hint}</p>}
    </fieldset>
  );
}

interface PickedProps {
  name: string;
  chosen: readonly (string | number)[];
  textOf: (value: string) => string;
  /** Shown in the picker while nothing is chosen. */
  placeholder: string;
  /** Why the form is not sent while nothing is chosen; absent if a choice is optional. */
  required?: string | undefined;
  /** The picker that adds a value. */
  children: (picker: Omit<PickerProps, "label">) => ComponentChildren;
}

/** The chosen values, each with a button that removes it, below the control that adds one. */
export function Picked({ name, chosen: initial, textOf, placeholder, required, children }: PickedProps) {
  const chosen = useSignal<readonly string[]>(useDraftedItems(name) ?? initial.map(String));
  const frame = useRef<HTMLDivElement>(null);
  const input = () => frame.current?.querySelector<HTMLInputElement>("input[type=search]");
  const isEmpty = chosen.value.length === 0;
  const add = (value: string) => {
    if (value === "" || chosen.peek().includes(value)) return;
    chosen.value = [...chosen.peek(), value];
    // A typed name may be found only after the last event of its input, so the form is marked as changed here.
    const picker = input();
    if (picker) touch({ currentTarget: picker });
  };
  const remove = (value: string, event: TargetedMouseEvent<HTMLButtonElement>) => {
    touch(event);
    chosen.value = chosen.peek().filter((other) => other !== value);
    // The button that had the focus is removed with its value.
    input()?.focus();
  };
  return (
    <div ref={frame} class="picked" data-list={name}>
      {children({
        // The values are sent under the other name.
        name: `${name}-typed`,
        placeholder: isEmpty ? placeholder : PICK.addAnother,
        required: isEmpty ? required : undefined,
        value: "",
        onChange: add,
        adds: true,
      })}
      <ul class="chips">
        {chosen.value.map((value) => (
          <li key={value}>
            <input type="hidden" name={name} value={value} />
            <button
              type="button"
              class="small chip"
              aria-label={PICK.remove(textOf(value))}
              onClick={(event) => remove(value, event)}
            >
              {textOf(value)}
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Up to this many options are shown as checkboxes. More are found by typing. */
const MAX_BOXES = 12;

/** A choice of several among a few options or many. */
export function Several(props: CheckboxGroupProps & { placeholder: string }) {
  const { legend, name, options, chosen, required, hint, placeholder } = props;
  if (options.length <= MAX_BOXES) return <CheckboxGroup {...props} />;
  const texts = options.map(([value, text]) => [String(value), text] as const);
  const names = new Map(texts);
  return (
    <Picked
      name={name}
      chosen={chosen}
      textOf={(value) => names.get(value) ?? value}
      placeholder={placeholder}
      required={required}
    >
      {(picker) => <PickOne {...picker} label={legend} options={texts} {...(hint && { hint })} />}
    </Picked>
  );
}

/** The chosen values after one of them was chosen, or no longer is. */
export function withChoice<T>(chosen: ReadonlySet<T>, value: T, isChosen: boolean): ReadonlySet<T> {
  const next = new Set(chosen);
  if (isChosen) next.add(value);
  else next.delete(value);
  return next;
}

/** The items of a text field, separated by commas. */
export function commaSeparated(values: FormData, name: string): string[] {
  return itemsOf(textOf(values, name));
}

/** The checked values of a `CheckboxGroup`. */
export function checkedValues(values: FormData, name: string): string[] {
  return values.getAll(name).map(String);
}
