import type { ReadonlySignal, Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import type { HistoryReply } from "../api/types.ts";
import { formatAbsolute } from "../text/format.ts";
import { formatValue } from "../text/statistics.ts";
import { Icon } from "../ui/icon.tsx";
import { usePrinting } from "../ui/printing.ts";
import { Table } from "../ui/table.tsx";
import { ChartMenu, useChartMenu } from "./chart-menu.tsx";
import { CHARTS } from "./charts.texts.ts";
import { Figures, Legend, Swatch } from "./legend.tsx";
import type { Marks } from "./marks.ts";
import { type Palette, readPalette } from "./palette.ts";
import { extremesOf, type Hidden, nearest, type Panel, type PanelSeries } from "./panels.ts";
import type { Plot, PlotEvents } from "./plot.ts";

/** Number of points that Page Up and Page Down move by. */
const PAGE = 20;

export interface ChartProps {
  panel: Panel;
  reply: HistoryReply;
  marks: Marks;
  /** Series that are not drawn. */
  hidden: Hidden;
  /** Called for a series that was chosen in the legend; see `Legend`. */
  onChoose: (series: number, isOne: boolean) => void;
  /** What choosing a series does, in words, unless it hides the others. */
  chooseHint?: string;
  /** The time at the pointer, shared by all charts, unix seconds. */
  pointer: Signal<number | null>;
  /** Changes when the colours do. */
  theme: ReadonlySignal<string>;
  plotModule: () => Promise<typeof import("./plot.ts")>;
  onZoom: (from: number, to: number) => void;
  onReset: () => void;
  onFailed: () => void;
}

function valueText(series: PanelSeries, index: number): string {
  const value = series.mean[index];
  return value === null || value === undefined ? CHARTS.noData : formatValue(series.type, value);
}

/** A text alternative of the chart. */
function summaryOf(panel: Panel, times: readonly number[]): string {
  const sentences = panel.series.map((series) => {
    const extremes = extremesOf(series, times);
    if (!extremes) return CHARTS.noDataOf(series.label);
    const text = (value: number) => formatValue(series.type, value);
    const { average, lowest, highest, highestAt } = extremes;
    return CHARTS.summary(
      series.label,
      text(average),
      text(lowest),
      text(highest),
      formatAbsolute(highestAt),
    );
  });
  return sentences.join(" ");
}

/**
 * Draws the chart while it is mounted, and redraws it when size, values, theme or pointer change.
 * @param onClick for a point that was clicked
 */
function usePlot(props: ChartProps, onClick: PlotEvents["onClick"]) {
  const { panel, reply, marks, hidden, pointer, theme, plotModule, onFailed } = props;
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const latest = useRef({ ...props, onClick });
  latest.current = { ...props, onClick };
  const palette = useRef<Palette | null>(null);
  const isPrinting = usePrinting();
  const drawing = () => {
    const { panel, reply, marks, hidden } = latest.current;
    return { panel, marks, hidden, times: reply.times, from: reply.datefrom, to: reply.dateto };
  };
  useEffect(() => {
    let unmounted = false;
    const events: PlotEvents = {
      onPoint: (at) => {
        pointer.value = at;
      },
      onZoom: (from, to) => latest.current.onZoom(from, to),
      onReset: () => latest.current.onReset(),
      onClick: (...clicked) => latest.current.onClick(...clicked),
    };
    plotModule().then(
      ({ Plot }) => {
        if (unmounted || !container.current) return;
        palette.current = readPalette(container.current);
        plot.current = new Plot(container.current, drawing(), palette.current, events);
      },
      () => !unmounted && onFailed(),
    );
    const resizing = new ResizeObserver(() => plot.current?.resize());
    if (container.current) resizing.observe(container.current);
    const unsubscribe = pointer.subscribe((at) => plot.current?.point(at));
    return () => {
      unmounted = true;
      resizing.disconnect();
      unsubscribe();
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  // A layout effect, because the browser prints without waiting for other effects.
  useLayoutEffect(() => {
    if (!container.current) return;
    palette.current = readPalette(container.current);
    plot.current?.update(drawing(), palette.current);
  }, [panel, reply, marks, hidden, theme.value, isPrinting]);
  return container;
}

/** The drawing as a slider for the keyboard: arrows move along the values, plus and minus zoom, L opens its menu. */
function Picture(props: ChartProps) {
  const { panel, reply, pointer, hidden, onZoom } = props;
  const { times, datefrom, dateto } = reply;
  const { menu, offer } = useChartMenu(panel, reply.hostid, times, hidden);
  // The first click of a double-click opened the menu.
  const onReset = () => {
    menu.value = null;
    props.onReset();
  };
  const container = usePlot({ ...props, onReset }, offer);
  const at = pointer.value;
  const index = at === null ? times.length - 1 : nearest(times, at);
  const here = times[index] ?? datefrom;
  const words = panel.series
    .map((series) => CHARTS.pointValue(series.label, valueText(series, index)))
    .join(", ");
  const move = (to: number) => {
    pointer.value = times[Math.max(0, Math.min(times.length - 1, to))] ?? null;
  };
  const zoom = (factor: number) => {
    const half = ((dateto - datefrom) * factor) / 2;
    onZoom(here - half, here + half);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => move(index - 1),
    ArrowRight: () => move(index + 1),
    PageDown: () => move(index - PAGE),
    PageUp: () => move(index + PAGE),
    Home: () => move(0),
    End: () => move(times.length - 1),
    "+": () => zoom(0.5),
    "-": () => zoom(2),
    Escape: onReset,
    l: () => offer({ index, value: null, step: 0.01 }, { left: 0, top: 0, width: 0 }),
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <div class="chart-picture">
      <div
        ref={container}
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={CHARTS.pointOf(panel.title)}
        aria-valuemin={datefrom}
        aria-valuemax={dateto}
        aria-valuenow={here}
        aria-valuetext={CHARTS.point(formatAbsolute(here), words)}
        onKeyDown={onKeyDown}
        onFocus={() => {
          if (pointer.peek() === null) move(times.length - 1);
        }}
        onBlur={() => {
          pointer.value = null;
        }}
      />
      {menu.value && (
        <ChartMenu
          {...menu.value}
          onClose={(isEscaped) => {
            menu.value = null;
            if (isEscaped) container.current?.focus();
          }}
        />
      )}
    </div>
  );
}

interface ValuesProps {
  panel: Panel;
  times: readonly number[];
}

/** The figures of each series and all values as tables, rendered only while they are open. */
function Values({ panel, times }: ValuesProps) {
  const open = useSignal(false);
  const rows = open.value ? times.map((at, index) => ({ at, index })).reverse() : [];
  return (
    <details
      class="chart-values"
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary aria-label={CHARTS.valuesTitle(panel.title)}>{CHARTS.values}</summary>
      {open.value && (
        <>
          <Figures panel={panel} times={times} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
          <section class="chart-values-frame" tabIndex={0} aria-label={CHARTS.valuesOf(panel.title)}>
            <Table
              caption={CHARTS.newestFirst(panel.title)}
              whole
              columns={[
                {
                  key: "at",
                  label: CHARTS.when,
                  header: true,
                  class: "tight",
                  cell: ({ at }) => formatAbsolute(at),
                },
                ...panel.series.map((series, i) => ({
                  key: String(series.id),
                  label: series.label,
                  head: (
                    <>
                      <Swatch index={i} /> {series.label}
                    </>
                  ),
                  class: "number",
                  cell: ({ index }: { index: number }) => valueText(series, index),
                })),
              ]}
              rows={rows}
              rowKey={({ at }) => at}
            />
          </section>
        </>
      )}
    </details>
  );
}

/** One chart: the drawing, a legend of one line, a text alternative, and tables on demand. */
export function Chart(props: ChartProps) {
  const { panel, reply } = props;
  const id = useId();
  const figure = useRef<HTMLElement>(null);
  const save = async () => {
    const { saveImage } = await import("./image.ts");
    const span = CHARTS.span(formatAbsolute(reply.datefrom), formatAbsolute(reply.dateto));
    if (figure.current) saveImage(figure.current, panel, span);
  };
  return (
    <figure ref={figure} class="chart" aria-labelledby={id} aria-describedby={`${id}-text`}>
      <figcaption>
        <h3 id={id}>{panel.title}</h3>
        <button
          type="button"
          class="small quiet"
          aria-label={CHARTS.imageOf(panel.title)}
          onClick={() => void save()}
        >
          <Icon name="download" />
          {CHARTS.image}
        </button>
        <p id={`${id}-text`} class="sr-only">
          {summaryOf(panel, reply.times)}
        </p>
      </figcaption>
      <Picture {...props} />
      <Legend
        panel={panel}
        times={reply.times}
        pointer={props.pointer}
        hidden={props.hidden}
        onChoose={props.onChoose}
        hint={props.chooseHint ?? CHARTS.chooseHint}
      />
      <Values panel={panel} times={reply.times} />
    </figure>
  );
}
