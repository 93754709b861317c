import { useComputed } from "@preact/signals";
import { useMuster } from "../state/muster.ts";
import { type ChartWindow, chartWindow, resetZoom, type TimeSpan, zoomTo } from "./range.ts";

/** The API's code of a range from date to date. */
const CUSTOM = 12;

/**
 * The time span of the charts of a page, which is in its address, and functions that change it. @param around the
 * initial span
 */
export function useChartWindow(around?: TimeSpan) {
  const { router, now } = useMuster();
  // As text, because an equal text causes no rendering: the time advances every second, the window seldom moves.
  const shown = useComputed(() => JSON.stringify(chartWindow(router.address.value.query, now.value, around)));
  const { from, to, range } = JSON.parse(shown.value) as ChartWindow;
  return {
    span: { from, to },
    range,
    /** The span as arguments of an operation. */
    args: { range: CUSTOM, datefrom: from, dateto: to },
    onZoom: (start: number, end: number) => zoomTo(router, start, end),
    onReset: () => resetZoom(router),
  };
}
