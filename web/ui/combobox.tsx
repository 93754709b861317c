import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { listText, partsOf } from "../text/comma-list.ts";
import { Field, type FieldProps } from "./form.tsx";
import { UI } from "./ui.texts.ts";

/** An option of a combobox. */
export interface Suggestion {
  /** The text of the input after it was chosen. */
  value: string;
  text: string;
  /** Small print beside it. */
  note?: string;
}

const MAX_SHOWN = 100;

/** Suggestions for the last of the items separated by commas; the previous ones stay. */
export function completions(typed: string, suggestions: readonly Suggestion[]): Suggestion[] {
  const last = partsOf(typed).at(-1)?.toLowerCase() ?? "";
  const previousItems = partsOf(typed).slice(0, -1).filter(Boolean);
  return suggestions
    .filter(
      ({ value, text }) => `${value} ${text}`.toLowerCase().includes(last) && !previousItems.includes(value),
    )
    .map((suggestion) => ({ ...suggestion, value: listText([...previousItems, suggestion.value]) }));
}

interface ComboboxProps extends FieldProps {
  suggestions: readonly Suggestion[];
  /** Only suggestions are accepted: Enter chooses the first suggestion for the typed text. */
  strict?: boolean;
}

/** Changes the text of an input as if it was typed: components and the form around it are notified. */
function write(input: HTMLInputElement, text: string): void {
  input.value = text;
  for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
}

/** The open list of suggestions, and the one that the arrow keys have reached. */
function useList(suggestions: readonly Suggestion[]) {
  const list = useRef<HTMLDivElement>(null);
  /** Null until it is first opened. */
  const isWanted = useSignal<boolean | null>(null);
  const at = useSignal(-1);
  const isOpen = isWanted.value === true && suggestions.length > 0;
  const active = isOpen ? Math.min(at.value, suggestions.length - 1) : -1;
  useEffect(() => {
    if (list.current?.isConnected) list.current.togglePopover(isOpen);
  }, [isOpen]);
  useEffect(() => {
    if (active >= 0) list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const open = (first = -1) => {
    at.value = first;
    isWanted.value = true;
  };
  const close = () => {
    if (isWanted.peek()) isWanted.value = false;
  };
  /** @param step how many suggestions to move; after the last one comes the first */
  const move = (step: number) => {
    if (!isOpen) open();
    else at.value = (Math.max(active, step < 0 ? 0 : -1) + step + suggestions.length) % suggestions.length;
  };
  /** After the first opening, options stay rendered, so that closing can be animated. */
  const hasOptions = isWanted.value !== null;
  return { list, isOpen, hasOptions, active, open, close, move };
}

/** A labelled input that suggests what can be typed into it. Arrow keys and Enter choose, Escape closes the list. */
export function Combobox({ suggestions: allSuggestions, strict = false, ...field }: ComboboxProps) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const suggestions = allSuggestions.slice(0, MAX_SHOWN);
  const { list, isOpen, hasOptions, active, open, close, move } = useList(suggestions);
  const choose = ({ value }: Suggestion) => {
    const input = frame.current?.querySelector("input");
    if (input) write(input, value);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = suggestions[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && chosen) choose(chosen);
    else if (event.key === "Escape" && isOpen) close();
    // Otherwise the form would be submitted with an incomplete name.
    else if (event.key !== "Enter" || !strict) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the events are those of the input in it
    <div
      ref={frame}
      class={strict ? "combobox pick" : "combobox"}
      onInput={({ target }) => target === document.activeElement && open(strict ? 0 : -1)}
      onClick={({ target }) => target instanceof HTMLInputElement && open()}
      onKeyDown={onKeyDown}
      onFocusOut={close}
    >
      <Field
        {...field}
        autoComplete="off"
        aria={{
          role: "combobox",
          "aria-autocomplete": "list",
          "aria-expanded": isOpen,
          "aria-controls": id,
          ...(active >= 0 && { "aria-activedescendant": `${id}-${active}` }),
        }}
      />
      <div ref={list} id={id} class="options" role="listbox" popover="manual" aria-label={UI.suggestions}>
        {hasOptions &&
          suggestions.map((suggestion, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
            <div
              key={suggestion.value}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              // The input keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(suggestion)}
            >
              {suggestion.text}
              {suggestion.note && <small class="muted">{suggestion.note}</small>}
            </div>
          ))}
      </div>
    </div>
  );
}

interface ListFieldProps extends Omit<ComboboxProps, "strict" | "value"> {
  items: readonly string[];
  /** Called with the item that is being typed. */
  onType?: (item: string) => void;
}

/** A combobox for any number of items, separated by commas. The form around it reads it. */
export function ListField({ items, suggestions, onType, ...field }: ListFieldProps) {
  const initial = listText(items);
  const typed = useSignal(initial);
  return (
    <Combobox
      {...field}
      autoCapitalize="none"
      defaultValue={initial}
      suggestions={completions(typed.value, suggestions)}
      onInput={(event) => {
        typed.value = event.currentTarget.value;
        onType?.(partsOf(typed.peek()).at(-1) ?? "");
      }}
    />
  );
}

interface PickOneProps {
  label: string;
  /** With a name, an expired session returns what was chosen. */
  name?: string;
  placeholder?: string;
  hint?: string;
  /** The chosen value; "" for none. */
  value: string;
  /** Text of the chosen value. */
  text: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
  /** Called with the typed text; it may change the options. */
  onType?: (text: string) => void;
  /**
   * Choosing empties the input: a typed name is chosen with Enter or when the input loses the focus, since it may be the
   * start of a longer one.
   */
  adds?: boolean;
}

/** The options that contain a part, the one of exactly this name first. */
function matching(options: PickOneProps["options"], part: string): Suggestion[] {
  const names = options.map(([, name]) => name).filter((name) => name.toLowerCase().includes(part));
  const isWhole = (name: string) => Number(name.toLowerCase() === part);
  return names.sort((a, b) => isWhole(b) - isWhole(a)).map((name) => ({ value: name, text: name }));
}

/** A choice of one among any number of options, found by typing. An empty input chooses none. */
export function PickOne({ value, text, options, onChange, onType, adds = false, ...field }: PickOneProps) {
  /** Text typed since the last choice; null when none. */
  const typed = useSignal<string | null>(null);
  const part = (typed.value ?? "").toLowerCase();
  const choose = (name: string) => {
    const option = options.find(([, label]) => label === name);
    if (name !== "" && !option) return;
    typed.value = null;
    if (option?.[0] !== value) onChange(option?.[0] ?? "");
  };
  // A whole name may be typed before its option is loaded.
  useEffect(() => {
    if (typed.peek() && !adds) choose(typed.peek() ?? "");
  });
  return (
    <Combobox
      {...field}
      type="search"
      strict
      value={typed.value ?? text}
      suggestions={matching(options, part)}
      onInput={(event) => {
        typed.value = event.currentTarget.value;
        onType?.(event.currentTarget.value);
        if (!adds) choose(event.currentTarget.value);
      }}
      onChange={(event) => choose(event.currentTarget.value)}
      onBlur={() => {
        typed.value = null;
      }}
    />
  );
}
