import type { ReadonlySignal } from "@preact/signals";
import { formatClock, formatDay } from "../text/format.ts";
import { formatValue } from "../text/statistics.ts";
import { UI } from "../ui/ui.texts.ts";
import { CHARTS } from "./charts.texts.ts";
import { DASHES, seriesClass } from "./palette.ts";
import { extremesOf, type Hidden, nearest, type Panel } from "./panels.ts";

/** A sample of how a series is drawn. */
export function Swatch({ index, area = false }: { index: number; area?: boolean }) {
  const dash = DASHES[index % DASHES.length]?.join(" ");
  return (
    <svg class={`swatch ${seriesClass(index)}`} viewBox="0 0 22 10" aria-hidden="true" focusable="false">
      {area ? <rect width="22" height="10" rx="2" /> : <path d="M0 5h22" stroke-dasharray={dash} />}
    </svg>
  );
}

interface LegendProps {
  panel: Panel;
  times: readonly number[];
  pointer: ReadonlySignal<number | null>;
  hidden: Hidden;
  /** Shows or hides a series. */
  onToggle: (id: number) => void;
}

/**
 * Each series with its value at the pointer, or its latest one, and its lowest, average and highest value.
 */
export function Legend({ panel, times, pointer, hidden, onToggle }: LegendProps) {
  const at = pointer.value;
  const index = at === null ? -1 : nearest(times, at);
  return (
    <table class="chart-legend">
      <caption class="sr-only">{CHARTS.legendOf(panel.title)}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="sr-only">{CHARTS.series}</span>
          </th>
          <th scope="col" class="chart-figure">
            {index < 0
              ? CHARTS.latest
              : CHARTS.legendTime(formatDay(times[index] ?? 0), formatClock(times[index] ?? 0))}
          </th>
          <th scope="col" class="chart-figure chart-least">
            {CHARTS.lowest}
          </th>
          <th scope="col" class="chart-figure">
            {CHARTS.average}
          </th>
          <th scope="col" class="chart-figure">
            {CHARTS.highest}
          </th>
        </tr>
      </thead>
      <tbody>
        {panel.series.map((series, i) => {
          const found = extremesOf(series, times);
          const text = (value: number | null | undefined) =>
            value === null || value === undefined ? UI.noValue : formatValue(series.type, value);
          return (
            <tr key={series.id}>
              <th scope="row">
                <button
                  type="button"
                  class="legend-series"
                  aria-pressed={!hidden.has(series.id)}
                  title={hidden.has(series.id) ? CHARTS.show : CHARTS.hide}
                  onClick={() => onToggle(series.id)}
                >
                  <Swatch index={i} area={panel.stacked} /> {series.label}
                </button>
              </th>
              <td>{text(index < 0 ? found?.latest : series.mean[index])}</td>
              <td class="chart-least">{text(found?.lowest)}</td>
              <td>{text(found?.average)}</td>
              <td>{text(found?.highest)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
