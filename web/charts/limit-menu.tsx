import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { formatValue } from "../text/statistics.ts";
import { limitAddress } from "../ui/limit-address.ts";
import { CHARTS } from "./charts.texts.ts";
import { type Hidden, type LimitOffer, limitOffers, type Panel } from "./panels.ts";
import type { PlotEvents } from "./plot.ts";

interface LimitMenuProps {
  offers: readonly LimitOffer[];
  /** The point: pixels from the top, and from one side of the picture. */
  top: number;
  side: number;
  isOfRight: boolean;
  onClose: (isEscaped: boolean) => void;
}

/** Where a limit can be set at a point of a chart: a link for each series. It closes when the focus leaves it. */
export function LimitMenu({ offers, top, side, isOfRight, onClose }: LimitMenuProps) {
  const menu = useRef<HTMLUListElement>(null);
  useEffect(() => menu.current?.querySelector("a")?.focus(), []);
  return (
    <ul
      ref={menu}
      class={isOfRight ? "chart-menu of-right" : "chart-menu"}
      aria-label={CHARTS.setLimit}
      style={{ "--side": `${side}px`, "--top": `${top}px` }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose(true);
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!menu.current?.contains(relatedTarget as Node | null)) onClose(false);
      }}
    >
      {offers.map(({ id, label, type, value, number, hostId, service, descriptor }) => (
        <li key={id}>
          <a href={limitAddress(number, hostId, service, { value, descriptor })}>
            {CHARTS.setLimitAt(label, formatValue(type, value))}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The menu of a chart, if it is open, and the handler that opens it at a point if the user may set limits. */
export function useLimitMenu(panel: Panel, hostId: number, hidden: Hidden) {
  const { session } = useMuster();
  const menu = useSignal<Omit<LimitMenuProps, "onClose"> | null>(null);
  const offer: PlotEvents["onClick"] = (point, { left, top, width }) => {
    const offers = limitOffers(panel, hostId, { ...point, hidden }).filter((limit) =>
      session.mayOn("manage", limit.hostId),
    );
    const isOfRight = left > width / 2;
    if (offers.length > 0) menu.value = { offers, top, side: isOfRight ? width - left : left, isOfRight };
  };
  return { menu, offer };
}
