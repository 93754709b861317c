import { formatPercent } from "../text/format.ts";
import { UI } from "./ui.texts.ts";

/** A percentage with a small bar; -1 means no data. */
export function PercentMeter({ percent, of }: { percent: number; of: string }) {
  if (percent < 0) return <span class="muted">{UI.noValue}</span>;
  return (
    <span class="percent-meter">
      <span>{formatPercent(percent, percent < 10 ? 1 : 0)}</span>
      <meter min={0} max={100} high={90} low={75} optimum={0} value={percent} aria-label={of} />
    </span>
  );
}
