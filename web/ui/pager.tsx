import { formatNumber } from "../text/format.ts";
import { Icon } from "./icon.tsx";

interface PagerProps {
  start: number;
  size: number;
  total: number;
  onGo: (start: number) => void;
}

/** Which part of a list is shown, with buttons to the parts before and after it. */
export function Pager({ start, size, total, onGo }: PagerProps) {
  if (total === 0) return null;
  const last = Math.min(total, start + size);
  return (
    <nav class="pager" aria-label="Pages of the list">
      <p>
        {formatNumber(Math.min(start + 1, total), 0)} to {formatNumber(last, 0)} of {formatNumber(total, 0)}
      </p>
      <button type="button" disabled={start <= 0} onClick={() => onGo(Math.max(0, start - size))}>
        <Icon name="previous" />
        Newer
      </button>
      <button type="button" disabled={last >= total} onClick={() => onGo(start + size)}>
        Older
        <Icon name="next" />
      </button>
    </nav>
  );
}
