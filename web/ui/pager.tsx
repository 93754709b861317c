import { useEffect } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { PAGER } from "./pager.texts.ts";

interface PagerProps {
  start: number;
  size: number;
  total: number;
  onGo: (start: number) => void;
}

/**
 * The position in a list, with buttons to the previous and next page. From beyond the end, as after the last row of the
 * last page was deleted, it goes to the last page.
 */
export function Pager({ start, size, total, onGo }: PagerProps) {
  const isBeyond = total > 0 && start >= total;
  useEffect(() => {
    if (isBeyond) onGo(Math.floor((total - 1) / size) * size);
  }, [isBeyond]);
  if (total === 0) return null;
  const last = Math.min(total, start + size);
  return (
    <nav class="pager" aria-label={PAGER.pages}>
      <p>{PAGER.page(Math.min(start + 1, total), last, total)}</p>
      <button type="button" disabled={start <= 0} onClick={() => onGo(Math.max(0, start - size))}>
        <Icon name="previous" />
        {PAGER.newer}
      </button>
      <button type="button" disabled={last >= total} onClick={() => onGo(start + size)}>
        {PAGER.older}
        <Icon name="next" />
      </button>
    </nav>
  );
}
