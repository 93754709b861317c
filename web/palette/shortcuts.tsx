import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { formatMinute } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { actOnItem } from "./item-keys.ts";
import { SHORTCUTS } from "./shortcuts.texts.ts";

interface OpenDialog {
  Body: ComponentType<{ onClose: () => void; showKeys: () => void; showClock: () => void }>;
}

/** Elements in which letters are typed or, in a list, choose an option. */
const TYPED = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";

/** Whether the target takes what is typed. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(TYPED) !== null;
}

/** The filter of the page, if it has one. */
function filterOfPage(): HTMLElement | null {
  return document.querySelector<HTMLElement>("main search input[type=search]");
}

/** The keys of every page, and buttons for users without a keyboard. The dialogs are loaded when needed. */
export function Shortcuts() {
  const { at } = useMuster();
  const announce = useAnnounce();
  const dialog = useSignal<OpenDialog | null>(null);
  const open = (load: () => Promise<OpenDialog["Body"]>) =>
    void load().then(
      (Body) => {
        dialog.value = { Body };
      },
      () => announce(SHORTCUTS.reload),
    );
  const openPalette = () => open(async () => (await import("./palette.tsx")).Palette);
  const openKeys = () => open(async () => (await import("./keys.tsx")).Keys);
  const openClock = () => open(async () => (await import("../moment/clock.tsx")).Clock);
  // A layout effect, because keys must work as soon as the page is visible.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isPaletteKey =
        (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
      if (document.querySelector("dialog[open]")) {
        if (isPaletteKey) event.preventDefault();
        return;
      }
      // Caps Lock makes capitals without Shift.
      const key = event.shiftKey ? event.key : event.key.toLowerCase();
      if (isPaletteKey) openPalette();
      else if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      else if (key === "/") filterOfPage()?.focus();
      else if (key === "?") openKeys();
      else if (key === "t") openClock();
      else if (!actOnItem(key)) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  const Body = dialog.value?.Body;
  const shown = at.value === null ? SHORTCUTS.now : formatMinute(at.value);
  return (
    <>
      <button type="button" class="quiet find-button" onClick={openPalette} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span>{SHORTCUTS.find}</span>
        <kbd>{SHORTCUTS.ctrlK}</kbd>
      </button>
      <button
        type="button"
        class="quiet clock-button"
        onClick={openClock}
        aria-keyshortcuts="T"
        aria-label={SHORTCUTS.clock(shown)}
      >
        <Icon name="clock" />
        <span>{shown}</span>
      </button>
      {Body && (
        <Body
          onClose={() => {
            dialog.value = null;
          }}
          showKeys={openKeys}
          showClock={openClock}
        />
      )}
    </>
  );
}
