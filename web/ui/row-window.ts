import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { usePrinting } from "./printing.ts";

/** Rows rendered above and below the visible ones: more than a page, so that paging shows no gap. */
const MARGIN_ROWS = 24;
/** Shorter tables are rendered as a whole, so that the browser's own search works on them. */
const WINDOW_FROM = 150;
const ROW_PX = 38;

export interface RowWindow {
  /** False: all rows are rendered. */
  windowed: boolean;
  /** Ref for the table section with the rows. */
  start: RefObject<HTMLTableSectionElement | null>;
  /** The rows to render, without `to` itself. */
  from: number;
  to: number;
  /** Height in pixels of the rows left out before and after. */
  before: number;
  after: number;
}

/**
 * Determines which of `count` rows of equal height to render, by the scroll position.
 * @param whole whether to render all rows
 * @param expected height of a row before the first one is measured, pixels
 */
export function useRowWindow(count: number, whole: boolean, expected = ROW_PX): RowWindow {
  const start = useRef<HTMLTableSectionElement>(null);
  const rowHeight = useRef(expected);
  const first = useSignal(0);
  const visible = useSignal(60);
  // Paper does not scroll.
  const printing = usePrinting();
  const windowed = count > WINDOW_FROM && !whole && !printing;

  useEffect(() => {
    if (!windowed) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const section = start.current;
      if (!section) return;
      rowHeight.current = section.querySelector("tr[data-row]")?.getBoundingClientRect().height || expected;
      const above = Math.max(0, -section.getBoundingClientRect().top);
      first.value = Math.max(0, Math.floor(above / rowHeight.current) - MARGIN_ROWS);
      visible.value = Math.ceil(innerHeight / rowHeight.current) + 2 * MARGIN_ROWS;
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    addEventListener("scroll", schedule, { passive: true });
    addEventListener("resize", schedule);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", schedule);
      removeEventListener("resize", schedule);
    };
  }, [windowed, count, expected]);

  if (!windowed) return { windowed, start, from: 0, to: count, before: 0, after: 0 };
  const from = Math.max(0, Math.min(first.value, count - visible.value));
  const to = Math.min(count, from + visible.value);
  return {
    windowed,
    start,
    from,
    to,
    before: from * rowHeight.current,
    after: (count - to) * rowHeight.current,
  };
}
