import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { SavedFilters, SearchReply } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import {
  type Dialogs,
  type Entry,
  filterEntries,
  fixedEntries,
  foundEntries,
  type Heading,
  headingEntries,
  pageEntries,
} from "./entries.ts";
import { PALETTE } from "./palette.texts.ts";

/** Debounce of the search while the user types, milliseconds. */
const SETTLED_MS = 120;

/** Preact's types want a list element for this role, which is for inputs with native suggestions. */
const COMBOBOX = { role: "combobox", "aria-expanded": "true" } as object;

const NOTHING: SearchReply = { hosts: [], services: [], groups: [], tags: [] };

/** Search results for the typed text. During a new search, the previous results stay. */
function useFound(text: string) {
  const { api } = useMuster();
  const result = useSignal(NOTHING);
  const failed = useSignal(false);
  /** The text that the results are for. */
  const searched = useSignal(text);
  useEffect(() => {
    let isCurrent = true;
    const show = (reply: SearchReply, isError: boolean) => {
      if (!isCurrent) return;
      result.value = reply;
      failed.value = isError;
      searched.value = text;
    };
    if (text.trim() === "") {
      show(NOTHING, false);
      return;
    }
    const search = () =>
      api.get<SearchReply>("/status/search", { text: text.slice(0, 255) }).then(
        (reply) => show(reply, false),
        () => show(NOTHING, true),
      );
    const timer = setTimeout(() => void search(), SETTLED_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return { result: result.value, failed: failed.value, isSearching: searched.value !== text };
}

/** The headings of the documentation, loaded with the first search. If that fails, the palette does without them. */
function useHeadings(isSearching: boolean): readonly Heading[] {
  const headings = useSignal<readonly Heading[]>([]);
  useEffect(() => {
    if (!isSearching) return;
    void fetch("/docs/headings.json")
      .then((reply) => (reply.ok ? reply.json() : []))
      .catch(() => [])
      .then((list: Heading[]) => {
        headings.value = list;
      });
  }, [isSearching]);
  return headings.value;
}

interface OptionsProps {
  id: string;
  entries: readonly Entry[];
  activeIndex: number;
  onAct: (entry: Entry) => void;
}

function Options({ id, entries, activeIndex, onAct }: OptionsProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    ref.current?.children[activeIndex]?.scrollIntoView({ block: "nearest" });
  }, [activeIndex, entries]);
  return (
    <div ref={ref} id={id} class="palette-options" role="listbox" aria-label={PALETTE.results}>
      {entries.map((entry, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
        <div
          key={entry.key}
          id={`${id}-${i}`}
          class="palette-option"
          role="option"
          tabIndex={-1}
          aria-selected={i === activeIndex}
          onClick={() => onAct(entry)}
        >
          <Icon name={entry.icon} />
          <span class="palette-text">{entry.text}</span>
          {entry.detail && <small class="muted">{entry.detail}</small>}
        </div>
      ))}
    </div>
  );
}

/** Finds hosts, services, groups, screens, saved filters and actions by keyboard alone. */
export function Palette({ onClose, ...dialogs }: { onClose: () => void } & Dialogs) {
  const muster = useMuster();
  const id = useId();
  const text = useSignal("");
  const activeIndex = useSignal(0);
  const { result, failed, isSearching } = useFound(text.value);
  /** Enter was pressed before the search has answered, whose results are the first entries. */
  const isWaiting = useSignal(false);
  const headings = useHeadings(text.value !== "");
  const filters = useResource<SavedFilters>("/filters/list", {}, { present: true }).data.value?.records ?? [];
  // What the search found comes first: actions of the page can contain the typed name, too.
  const entries = [
    ...foundEntries(muster, result),
    ...pageEntries(text.value),
    ...fixedEntries(muster, text.value, dialogs),
    ...filterEntries(muster, text.value, filters),
    ...headingEntries(text.value, headings),
  ];
  const at = Math.min(activeIndex.value, entries.length - 1);
  const act = (entry: Entry) => {
    onClose();
    entry.act();
  };
  useEffect(() => {
    if (isSearching || !isWaiting.peek()) return;
    isWaiting.value = false;
    if (entries[0] && !failed) act(entries[0]);
  }, [isSearching]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entry = entries[at];
    if (step !== undefined && entries.length > 0)
      activeIndex.value = (at + step + entries.length) % entries.length;
    else if (event.key === "Enter" && isSearching && at <= 0) isWaiting.value = true;
    else if (event.key === "Enter" && entry) act(entry);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={PALETTE.title} class="palette" onClose={onClose}>
      <input
        {...COMBOBOX}
        class="palette-input"
        type="text"
        aria-label={PALETTE.label}
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        placeholder={PALETTE.placeholder}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          activeIndex.value = 0;
          isWaiting.value = false;
        }}
        onKeyDown={onKeyDown}
      />
      <Options id={id} entries={entries} activeIndex={at} onAct={act} />
      {entries.length === 0 && <p class="empty">{failed ? PALETTE.failed : PALETTE.none}</p>}
      {entries.length > 0 && failed && <p class="hint">{PALETTE.failedForHosts}</p>}
    </Dialog>
  );
}
