import { useSignal } from "@preact/signals";
import { useAnnounce } from "../state/muster.ts";
import { COPY } from "./copy.texts.ts";
import { useDebounce } from "./debounce.ts";
import { Icon } from "./icon.tsx";

/** How long a button says that it copied, milliseconds. */
const SHOWN_MS = 2500;

/** Copies a text. Pages on plain http have no clipboard API, so there a selection is copied. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr-only";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

interface CopyButtonProps {
  text: string;
  /** A description of the text, for screen readers. */
  label: string;
  small?: boolean;
}

/** A button that copies a text, and confirms it. */
export function CopyButton({ text, label, small = false }: CopyButtonProps) {
  const state = useSignal<"idle" | "done" | "failed">("idle");
  const shown = useDebounce(SHOWN_MS);
  const announce = useAnnounce();
  const copy = async () => {
    state.value = (await copyText(text)) ? "done" : "failed";
    announce(state.peek() === "done" ? COPY.copied : COPY.notCopied);
    shown.delay(() => {
      state.value = "idle";
    });
  };
  return (
    <button
      type="button"
      class={small ? "small" : undefined}
      onClick={() => void copy()}
      aria-label={COPY.copyOf(label)}
    >
      <Icon name={state.value === "done" ? "check" : "copy"} />
      {state.value === "done" ? COPY.copied : state.value === "failed" ? COPY.selectIt : COPY.copy}
    </button>
  );
}

/** A text with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <div class="copyable">
      <textarea
        class="code"
        readOnly
        rows={text.trimEnd().split("\n").length}
        wrap="off"
        spellcheck={false}
        aria-label={label}
        value={text.trimEnd()}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={text} label={label} />
    </div>
  );
}
