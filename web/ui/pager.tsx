import { Icon } from "./icon.tsx";
import { UI } from "./ui.texts.ts";

interface PagerProps {
  start: number;
  size: number;
  total: number;
  onGo: (start: number) => void;
}

/** The position in a list, with buttons to the previous and next page. */
export function Pager({ start, size, total, onGo }: PagerProps) {
  if (total === 0) return null;
  const last = Math.min(total, start + size);
  return (
    <nav class="pager" aria-label={UI.pages}>
      <p>{UI.page(Math.min(start + 1, total), last, total)}</p>
      <button type="button" disabled={start <= 0} onClick={() => onGo(Math.max(0, start - size))}>
        <Icon name="previous" />
        {UI.newer}
      </button>
      <button type="button" disabled={last >= total} onClick={() => onGo(start + size)}>
        {UI.older}
        <Icon name="next" />
      </button>
    </nav>
  );
}
