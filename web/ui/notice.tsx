import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { asApiError } from "../api/client.ts";
import { type Notice, useMuster } from "../state/muster.ts";
import { Icon } from "./icon.tsx";
import { leavePicture } from "./leaving.ts";
import { UI } from "./ui.texts.ts";

/** How long a notice stays, milliseconds; longer if it offers to undo. */
const STAYS_MS = 6000;
const STAYS_WITH_UNDO_MS = 15_000;

const ICONS = { done: "check", news: "about", failure: "incidents" } as const;

/** Interval in which a notice that should have gone looks whether it is still pointed at or focused, milliseconds. */
const IN_USE_MS = 500;

/** Confirms that something was saved or done, and offers to undo it. Screen readers are told by `useAnnounce`. */
export function Notices() {
  const { notice } = useMuster();
  return notice.value && <Toast current={notice.value} />;
}

/** The notice, which stays for as long as the pointer is over it or the focus is in it. */
function Toast({ current }: { current: Notice }) {
  const { notice } = useMuster();
  const failed = useSignal("");
  const frame = useRef<HTMLDivElement>(null);
  const close = () => {
    notice.value = null;
  };
  useLayoutEffect(
    () => () => {
      if (frame.current) leavePicture(frame.current);
    },
    [],
  );
  // The pressed button has often disappeared with its row. The focus moves to the undo button.
  useLayoutEffect(() => {
    const { current: shown } = frame;
    if (!current.undo) return;
    shown?.querySelector("button")?.focus();
    return () => {
      const focused = document.activeElement;
      if (focused === document.body || shown?.contains(focused))
        document.querySelector<HTMLElement>("main h1")?.focus();
    };
  }, [current]);
  useEffect(() => {
    failed.value = "";
    const closeUnlessInUse = () => {
      if (frame.current?.matches(":hover, :focus-within")) timer = setTimeout(closeUnlessInUse, IN_USE_MS);
      else close();
    };
    let timer = setTimeout(closeUnlessInUse, current.undo ? STAYS_WITH_UNDO_MS : STAYS_MS);
    return () => clearTimeout(timer);
  }, [current]);
  const undo = async (act: NonNullable<Notice["undo"]>) => {
    try {
      await act();
      close();
    } catch (error) {
      failed.value = UI.notUndone(asApiError(error).message);
    }
  };
  const kind = failed.value ? "failure" : (current.kind ?? "done");
  return (
    <div ref={frame} class={`toast toast-${kind}`}>
      <Icon name={ICONS[kind]} />
      <p role={kind === "failure" ? "alert" : undefined}>{failed.value || current.text}</p>
      {current.undo && (
        <button type="button" class="small" onClick={() => current.undo && void undo(current.undo)}>
          {UI.undo}
        </button>
      )}
      <button type="button" class="quiet" onClick={close} aria-label={UI.closeNotice}>
        <Icon name="close" />
      </button>
    </div>
  );
}
