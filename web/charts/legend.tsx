import type { ReadonlySignal } from "@preact/signals";
import { formatClock, formatDay } from "../text/format.ts";
import { formatValue } from "../text/statistics.ts";
import { Table } from "../ui/table.tsx";
import { UI } from "../ui/ui.texts.ts";
import { CHARTS } from "./charts.texts.ts";
import { DASHES, seriesClass } from "./palette.ts";
import { extremesOf, type Hidden, nearest, type Panel, type PanelSeries } from "./panels.ts";

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
  /** Shows a series alone, or all again; with `isOne`, shows or hides only this one. */
  onChoose: (id: number, isOne: boolean) => void;
  /** What choosing a series does, in words. */
  hint: string;
}

/** Each series with its value at the pointer, or its latest one. A click shows it alone. */
export function Legend({ panel, times, pointer, hidden, onChoose, hint }: LegendProps) {
  const at = pointer.value;
  const index = at === null ? -1 : nearest(times, at);
  const time = times[index] ?? 0;
  return (
    <div class="chart-legend">
      <span class="legend-time">
        {index < 0 ? CHARTS.latest : CHARTS.legendTime(formatDay(time), formatClock(time))}
      </span>
      <ul aria-label={CHARTS.legendOf(panel.title)}>
        {panel.series.map((series, i) => {
          const value = index < 0 ? extremesOf(series, times)?.latest : series.mean[index];
          return (
            <li key={series.id}>
              <button
                type="button"
                class="legend-series"
                aria-pressed={!hidden.has(series.id)}
                title={hint}
                onClick={({ ctrlKey, metaKey, shiftKey }) =>
                  onChoose(series.id, ctrlKey || metaKey || shiftKey)
                }
              >
                <Swatch index={i} area={panel.stacked} /> {series.label}
              </button>
              <span class="legend-value">{valueText(series, value)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function valueText({ type }: PanelSeries, value: number | null | undefined): string {
  return value === null || value === undefined ? UI.noValue : formatValue(type, value);
}

const FIGURES = [
  ["latest", CHARTS.latest],
  ["lowest", CHARTS.lowest],
  ["average", CHARTS.average],
  ["highest", CHARTS.highest],
] as const;

/** Lowest, average and highest value of each series. */
export function Figures({ panel, times }: Pick<LegendProps, "panel" | "times">) {
  return (
    <Table
      caption={CHARTS.figuresOf(panel.title)}
      columns={[
        { key: "series", label: CHARTS.series, header: true, class: "grow", cell: ({ label }) => label },
        ...FIGURES.map(([key, label]) => ({
          key,
          label,
          class: "number",
          cell: (series: PanelSeries) => valueText(series, extremesOf(series, times)?.[key]),
        })),
      ]}
      rows={panel.series}
      rowKey={({ id }) => id}
    />
  );
}
