import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { UI } from "./ui.texts.ts";

/** Two lines of a text, and the rest on demand. A text of up to two lines has no button. */
export function Clamped({ children }: { children: ComponentChildren }) {
  const frame = useRef<HTMLSpanElement>(null);
  const isCut = useSignal(false);
  const isOpen = useSignal(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const measure = () => {
      if (!isOpen.peek()) isCut.value = element.scrollHeight > element.clientHeight + 1;
    };
    measure();
    const resizing = new ResizeObserver(measure);
    resizing.observe(element);
    return () => resizing.disconnect();
  }, [children]);
  return (
    <>
      <span ref={frame} class={isOpen.value ? "unclamped" : "clamped"}>
        {children}
      </span>
      {isCut.value && (
        <button
          type="button"
          class="text-button"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.peek();
          }}
        >
          {isOpen.value ? UI.less : UI.more}
        </button>
      )}
    </>
  );
}
