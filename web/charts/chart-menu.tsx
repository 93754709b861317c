import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { addressAt } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { formatAbsolute } from "../text/format.ts";
import { formatValue } from "../text/statistics.ts";
import { limitAddress } from "../ui/limit-address.ts";
import { CHARTS } from "./charts.texts.ts";
import { type Hidden, type LimitOffer, limitOffers, type Panel } from "./panels.ts";
import type { PlotEvents } from "./plot.ts";

/** A host at a time, unix seconds. */
interface HostAt {
  hostId: number;
  at: number;
}

interface ChartMenuProps {
  /** The host as it was at the point. */
  then: HostAt;
  /** Limits that can be set at the point. */
  offers: readonly LimitOffer[];
  /** The point: pixels from the top, and from one side of the picture. */
  top: number;
  side: number;
  isOfRight: boolean;
  onClose: (isEscaped: boolean) => void;
}

/** What can be done at a point of a chart, as links. It closes when the focus leaves it. */
export function ChartMenu({ then, offers, top, side, isOfRight, onClose }: ChartMenuProps) {
  const menu = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => menu.current?.querySelector("a")?.focus(), []);
  return (
    <ul
      ref={menu}
      class={isOfRight ? "chart-menu of-right" : "chart-menu"}
      aria-label={CHARTS.menu}
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
      <li>
        <a href={addressAt(`/hosts/${then.hostId}`, then.at)}>{CHARTS.asItWasAt(formatAbsolute(then.at))}</a>
      </li>
    </ul>
  );
}

/**
 * The menu of a chart, if it is open, and the handler that opens it at a point: for the host as it was then, and for a
 * limit if the user may set it.
 * @param times of the points, unix seconds
 */
export function useChartMenu(panel: Panel, hostId: number, times: readonly number[], hidden: Hidden) {
  const { session } = useMuster();
  const menu = useSignal<Omit<ChartMenuProps, "onClose"> | null>(null);
  const offer: PlotEvents["onClick"] = (point, { left, top, width }) => {
    const limits = limitOffers(panel, hostId, { ...point, hidden });
    const at = times[point.index];
    const then = { hostId: limits[0]?.hostId ?? hostId, at: at ?? 0 };
    if (at === undefined || then.hostId === 0 || !session.has("view")) return;
    const offers = panel.limit === null ? [] : limits.filter(({ hostId }) => session.mayOn("manage", hostId));
    const isOfRight = left > width / 2;
    menu.value = { then, offers, top, side: isOfRight ? width - left : left, isOfRight };
  };
  return { menu, offer };
}
