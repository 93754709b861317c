import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { sortKey } from "../../src/platform/sort-key.ts";
import type { Resource } from "../state/polled-resource.ts";
import { whenReleased } from "../state/release.ts";
import { listText, partsOf } from "../text/comma-list.ts";
import { PICK } from "./choices.texts.ts";
import { cancelAround } from "./dialog.tsx";
import { Field, type FieldProps } from "./fields.tsx";
import { useOutsideChange } from "./outside-change.ts";

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
  const last = sortKey(partsOf(typed).at(-1) ?? "");
  const previousItems = partsOf(typed).slice(0, -1).filter(Boolean);
  return suggestions
    .filter(({ value, text }) => sortKey(`${value} ${text}`).includes(last) && !previousItems.includes(value))
    .map((suggestion) => ({ ...suggestion, value: listText([...previousItems, suggestion.value]) }));
}

/** Makes a combobox accept only suggestions. */
interface Strictness {
  /** Whether Enter chooses the first suggestion if the arrow keys have reached none. */
  isFirstActive: boolean;
  /** Why the form around is not sent; "" if it is. */
  invalid: string;
  onChoose: (value: string) => void;
  /** Enter was pressed without a suggestion to choose. */
  onEnter: () => void;
  /** Escape was pressed in the input, with the list closed. @returns false if the browser shall handle it */
  onEscape: (input: EventTarget | null) => boolean;
}

interface ComboboxProps extends FieldProps {
  suggestions: readonly Suggestion[];
  strict?: Strictness;
}

/** Changes the text of an input as if it was typed: components and the form around it are notified. */
function write(input: HTMLInputElement, text: string): void {
  input.value = text;
  for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
}

/** The list of suggestions, and the one that Enter chooses: the one that the arrow keys have reached, if any. */
function useList(suggestions: readonly Suggestion[], isFirstActive: boolean) {
  const list = useRef<HTMLDivElement>(null);
  /** Null until it is first opened. */
  const isWanted = useSignal<boolean | null>(null);
  const at = useSignal(-1);
  const isOpen = isWanted.value === true && suggestions.length > 0;
  const reached = at.value < 0 && isFirstActive ? 0 : at.value;
  const active = isOpen ? Math.min(reached, suggestions.length - 1) : -1;
  // Another suggestion may have taken the place of the one that was reached.
  useLayoutEffect(() => {
    at.value = -1;
  }, [suggestions.map(({ value }) => value).join("\n")]);
  useEffect(() => {
    if (list.current?.isConnected) list.current.togglePopover(isOpen);
  }, [isOpen]);
  useEffect(() => {
    if (active >= 0) list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const open = () => {
    at.value = -1;
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

/** Keeps the form around from being sent while there is a reason. @param frame has the input in it */
function useValidity(frame: RefObject<HTMLDivElement | null>, invalid = ""): void {
  useLayoutEffect(() => {
    frame.current?.querySelector("input")?.setCustomValidity(invalid);
  }, [invalid]);
}

/** A labelled input that suggests what can be typed into it. Arrow keys and Enter choose, Escape closes the list. */
export function Combobox({ suggestions: allSuggestions, strict, error, ...field }: ComboboxProps) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const suggestions = allSuggestions.slice(0, MAX_SHOWN);
  const { list, isOpen, hasOptions, active, open, close, move } = useList(
    suggestions,
    strict?.isFirstActive ?? false,
  );
  useValidity(frame, strict?.invalid);
  const choose = ({ value }: Suggestion) => {
    const input = frame.current?.querySelector("input");
    if (input) write(input, value);
    strict?.onChoose(value);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const reached = suggestions[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && reached) choose(reached);
    else if (event.key === "Escape" && isOpen) close();
    // Otherwise the form would be submitted with an incomplete name.
    else if (event.key === "Enter" && strict) strict.onEnter();
    else if (event.key !== "Escape" || !strict?.onEscape(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the events are those of the input in it
    <div
      ref={frame}
      class={strict ? "combobox pick" : "combobox"}
      onInput={({ target }) => target === document.activeElement && open()}
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
          ...(error && { "aria-invalid": "true", "aria-errormessage": `${id}-error` }),
        }}
      />
      {error && (
        // An alert, not the field's own error: screen readers would not announce that once the focus has moved on.
        <small id={`${id}-error`} class="field-error" role="alert">
          {error}
        </small>
      )}
      <div ref={list} id={id} class="options" role="listbox" popover="manual" aria-label={PICK.suggestions}>
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

type Option = readonly [value: string, text: string];

/** What the pickers of any kind of object take. */
export interface PickerProps {
  label: string;
  /** With a name, an expired session returns what was chosen or typed. */
  name?: string;
  placeholder?: string;
  hint?: string;
  /** The chosen value; "" for none. */
  value: string;
  onChange: (value: string) => void;
  /** Why the form is not sent while nothing is chosen or typed; absent if a choice is optional. */
  required?: string | undefined;
  /**
   * Choosing empties the input: a typed name is chosen with Enter or when the input loses the focus, since it may be the
   * start of a longer one.
   */
  adds?: boolean;
}

interface PickOneProps extends PickerProps {
  /** Text of the chosen value, unless it was chosen here. */
  text?: string;
  options: readonly Option[];
  /** What the options are read from. A failed read is repeated when the user goes on. */
  reads?: readonly Resource<unknown>[];
  /** Called with the typed text; it may change the options. */
  onType?: (text: string) => void;
  /** Whether the options for the typed text have not been requested yet. */
  isWaiting?: boolean;
}

/** The options that contain a part, the one of exactly this name first. */
function matching(options: readonly Option[], part: string): Suggestion[] {
  const key = sortKey(part);
  const names = options.map(([, name]) => name).filter((name) => sortKey(name).includes(key));
  const isWhole = (name: string) => Number(sortKey(name) === key);
  return names.sort((a, b) => isWhole(b) - isWhole(a)).map((name) => ({ value: name, text: name }));
}

/** The option of this name, in any case unless several differ by case only. */
function optionNamed(options: readonly Option[], name: string) {
  const same = options.filter(([, label]) => sortKey(label) === sortKey(name));
  return same.find(([, label]) => label === name) ?? (same.length === 1 ? same[0] : undefined);
}

/** The text that is typed into a picker, and the choice that follows from it. */
function useTyped({ value, options, reads = [], onChange, onType, isWaiting = false, adds }: PickOneProps) {
  /** Text typed since the last choice; null when none. */
  const typed = useSignal<string | null>(null);
  /** Whether the typed text is a whole name: Enter was pressed, or the input has lost the focus. */
  const isWhole = useSignal(false);
  /** What was chosen here last. Its text is known before the chosen object is read. */
  const last = useRef<Option>(["", ""]);
  const isSearching = isWaiting || reads.some(({ data, error }) => !data.value && !error.value);
  const forget = () => {
    typed.value = null;
    isWhole.value = false;
    onType?.("");
  };
  const sends = useOutsideChange(value, forget);
  const choose = (option: Option) => {
    last.current = option;
    forget();
    sends(option[0]);
    if (option[0] !== value) onChange(option[0]);
  };
  const chooseNamed = (name: string) => {
    const option = optionNamed(options, name);
    if (option) choose(option);
  };
  const repeatFailedReads = () => {
    for (const read of reads) if (read.error.peek()) void read.refresh();
  };
  const setText = (text: string, isComplete: boolean) => {
    repeatFailedReads();
    if (text === "") return choose(["", ""]);
    typed.value = text;
    isWhole.value = isComplete;
    onType?.(text);
  };
  const takeAsWhole = () => {
    const name = typed.peek();
    if (name === null) return;
    if (name.trim() === "") return forget();
    isWhole.value = true;
    repeatFailedReads();
  };
  // A name may be typed before its option is loaded. It is chosen before the click that took the focus is complete.
  useLayoutEffect(() => {
    const name = typed.peek();
    if (name === null || isSearching) return;
    if (isWhole.peek()) chooseNamed(name.trim());
    else if (!adds) chooseNamed(name);
  });
  return { typed, isWhole, last, isSearching, forget, chooseNamed, setText, takeAsWhole };
}

/**
 * A choice of one among any number of options, found by typing. An empty input chooses none. Typed text that is no
 * option stays, and keeps the form around from being sent, until it is changed or removed.
 */
export function PickOne(props: PickOneProps) {
  const { value, text = "", options, reads, onChange, onType, isWaiting, required, adds, ...field } = props;
  const { typed, isWhole, last, isSearching, forget, chooseNamed, setText, takeAsWhole } = useTyped(props);
  const part = (typed.value ?? "").trim();
  const suggestions = matching(options, part);
  const failure = reads?.find(({ error }) => error.value)?.error.value?.message;
  const missing = (value === "" && required) || "";
  const wrong = suggestions.length > 0 ? PICK.chooseOneOf(part) : PICK.nothingNamed(part);
  const unresolved = isSearching ? PICK.searchingFor(part) : (failure ?? wrong);
  const onEscape = (input: EventTarget | null) => {
    if (!(input instanceof HTMLInputElement) || input.value === "") return false;
    // Otherwise the browser would remove the choice instead of closing the dialog.
    if (typed.peek() === null) cancelAround(input);
    else forget();
    return true;
  };
  return (
    <Combobox
      {...field}
      type="search"
      value={typed.value ?? (last.current[0] === value ? last.current[1] : text)}
      suggestions={suggestions}
      {...(part !== "" && isWhole.value && !isSearching && { error: unresolved })}
      strict={{
        isFirstActive: part !== "" && !isSearching,
        invalid: part === "" ? missing : unresolved,
        onChoose: chooseNamed,
        onEnter: takeAsWhole,
        onEscape,
      }}
      // Text that comes while the input has no focus is that of a draft.
      onInput={({ currentTarget: input }) => setText(input.value, input !== document.activeElement)}
      // Both a choice and the line about what is no option can move the button that was pressed.
      onBlur={() => whenReleased(takeAsWhole)}
    />
  );
}
