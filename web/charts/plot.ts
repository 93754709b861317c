/** The only module that draws. It is loaded when the first chart is shown. */
import uPlot from "uplot";
import { STATISTIC_UNITS } from "../../src/monit/statistic-types.ts";
import { DAY } from "../../src/platform/clock.ts";
import { formatClock, formatDay } from "../text/format.ts";
import { formatTick } from "../text/statistics.ts";
import { binaryIncrements, isBinary, isDuration, isWhole, wholeIncrements } from "./axis.ts";
import { CursorLine, drawFlags, drawMaintenance } from "./draw-marks.ts";
import type { Marks } from "./marks.ts";
import { DASHES, type Palette } from "./palette.ts";
import { type ClickedPoint, type Hidden, isolated, type Panel, stacked } from "./panels.ts";

const HEIGHT = 168;
/** Width of the value axis in pixels. It is the same for all charts, so that their time axes align. */
const AXIS_WIDTH = 62;
/** A drag shorter than this many pixels is a click. */
const MIN_DRAG = 6;
const DURATIONS = [
  1,
  5,
  15,
  60,
  300,
  900,
  3600,
  4 * 3600,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY,
];

export interface Drawing {
  panel: Panel;
  /** Unix seconds, ascending. */
  times: readonly number[];
  /** The time span to show, unix seconds. */
  from: number;
  to: number;
  marks: Marks;
  hidden: Hidden;
}

export interface PlotEvents {
  /** The pointer moved to this time; null: it left the chart. */
  onPoint: (at: number | null) => void;
  /** A time span was selected by dragging. Unix seconds. */
  onZoom: (from: number, to: number) => void;
  onReset: () => void;
  /** A point was clicked. @param place in the element, and its width, pixels */
  onClick: (
    point: Pick<ClickedPoint, "index" | "value" | "step">,
    place: { left: number; top: number; width: number },
  ) => void;
}

/** "14:05", or "9 Mar" at midnight and where ticks are days apart. */
function timeTick(at: number, increment: number): string {
  const date = new Date(at * 1000);
  const isMidnight = date.getHours() + date.getMinutes() === 0;
  return increment >= DAY || isMidnight ? formatDay(at) : formatClock(at);
}

/** Part of the value axis below its lowest value, so that a line at 0 does not vanish in the time axis. */
const BELOW = 0.02;

/**
 * Range of the value axis: 0 to 100 for percent; otherwise from 0 or the lowest negative value to slightly above the
 * highest.
 * @param least the axis reaches at least this value
 */
function valueRange(percent: boolean, least = 0) {
  return (_: uPlot, lowest: number | null, highest: number | null): [number, number] => {
    const top = Math.max(least, highest ?? 0);
    const bottom = Math.min(0, lowest ?? 0);
    const roomy = top === 0 && bottom === 0 ? 1 : top + (top - bottom) * 0.08;
    const height = percent && top <= 100 ? 100 : roomy;
    return [bottom - (height - bottom) * BELOW, height];
  };
}

type Values = (number | null)[];

/** Dots: at each value if they are far apart, otherwise only at values between two gaps, which no line reaches. */
const POINTS: uPlot.Series.Points = {
  size: 4,
  filter: (plot, index, show) => (show ? null : isolated(plot.data[index] ?? [])),
};

/** Series and values for uPlot: lines with a band from lowest to highest value, or stacked areas. */
function layers({ panel, hidden }: Pick<Drawing, "panel" | "hidden">, palette: Palette) {
  // A series keeps its colour when others are hidden.
  const drawn = panel.series.map((line, i) => ({ line, i })).filter(({ line }) => !hidden.has(line.id));
  const series: uPlot.Series[] = [];
  const bands: uPlot.Band[] = [];
  const data: Values[] = [];
  const invisible = { points: { show: false }, width: 0 };
  if (panel.stacked) {
    const sums = stacked(drawn.map(({ line }) => line));
    for (const [at, sum] of sums.entries()) {
      const i = drawn[at]?.i ?? at;
      const colour = palette.series(i);
      series.push({
        stroke: colour,
        width: 1.25,
        ...(at === 0 && { fill: palette.translucent(i, 0.35) }),
        points: POINTS,
      });
      data.push(sum);
      if (at > 0) bands.push({ series: [at + 1, at], fill: palette.translucent(i, 0.35) });
    }
    return { series, bands, data, main: sums.map((_, i) => i + 1) };
  }
  const main: number[] = [];
  for (const { line, i } of drawn) {
    const hasBand = line.max.some((value, at) => value !== line.min[at]);
    if (hasBand) {
      const top = series.length + 1;
      series.push({ ...invisible }, { ...invisible });
      data.push(line.max, line.min);
      bands.push({ series: [top, top + 1], fill: palette.translucent(i, 0.16) });
    }
    const dash = DASHES[i % DASHES.length] ?? [];
    series.push({ stroke: palette.series(i), width: 1.5, dash: [...dash], points: POINTS });
    data.push(line.mean);
    main.push(series.length);
  }
  return { series, bands, data, main };
}

/** A uPlot chart in an element, until `destroy` is called. */
export class Plot {
  #plot: uPlot | null = null;
  #drawing: Drawing;
  #shape = "";
  #isPointedAt = false;
  #pointed: number | null = null;
  readonly #cursorLine = new CursorLine();

  constructor(
    private readonly container: HTMLElement,
    drawing: Drawing,
    private palette: Palette,
    private readonly events: PlotEvents,
  ) {
    this.#drawing = drawing;
    this.#draw();
  }

  /** Shows other values or colours. */
  update(drawing: Drawing, palette: Palette): void {
    this.#drawing = drawing;
    const { series, data } = layers(drawing, palette);
    const shape = this.#shapeOf(series.length, palette);
    if (this.#plot && shape === this.#shape) this.#plot.setData([[...drawing.times], ...data]);
    else {
      this.palette = palette;
      this.#plot?.destroy();
      this.#draw();
    }
    this.point(this.#pointed);
  }

  /** Marks a time in unix seconds; null removes the mark. */
  point(at: number | null): void {
    this.#pointed = at;
    const plot = this.#plot;
    if (!plot || this.#isPointedAt) return;
    const left = at === null ? -10 : plot.valToPos(at, "x");
    plot.setCursor({ left, top: at === null ? -10 : 1 }, false);
    this.#cursorLine.show(plot, this.#drawing.marks.events, left);
  }

  resize(): void {
    const width = this.container.clientWidth;
    if (this.#plot && width > 0 && width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
  }

  destroy(): void {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #shapeOf(count: number, palette: Palette): string {
    const { panel, hidden } = this.#drawing;
    const ids = panel.series.map(({ id }) => (hidden.has(id) ? `-${id}` : id));
    return [panel.key, panel.type, ids, count, palette.name].join(" ");
  }

  #draw(): void {
    const { panel, times } = this.#drawing;
    const { series, bands, data, main } = layers(this.#drawing, this.palette);
    this.#shape = this.#shapeOf(series.length, this.palette);
    const plot = new uPlot(
      {
        width: Math.max(200, this.container.clientWidth),
        height: HEIGHT,
        padding: [10, 18, 0, 0],
        legend: { show: false },
        series: [{}, ...series],
        bands,
        scales: {
          x: { time: true, range: () => [this.#drawing.from, this.#drawing.to] },
          y: { range: valueRange(STATISTIC_UNITS[panel.type] === "percent", panel.top) },
        },
        axes: this.#axes(panel.type),
        cursor: {
          y: false,
          drag: { x: true, y: false, setScale: false },
          points: {
            show: (_, index) => {
              const mark = document.createElement("div");
              mark.hidden = !main.includes(index);
              return mark;
            },
          },
        },
        hooks: {
          drawClear: [(self) => drawMaintenance(self, this.#drawing.marks.maintenance, this.palette)],
          draw: [(self) => drawFlags(self, this.#drawing.marks.events, this.palette)],
          setCursor: [(self) => this.#moved(self)],
          setSelect: [(self) => this.#selected(self)],
        },
      },
      [[...times], ...data],
      this.container,
    );
    plot.over.addEventListener("mouseenter", () => {
      this.#isPointedAt = true;
    });
    plot.over.addEventListener("mouseleave", () => {
      this.#isPointedAt = false;
      this.events.onPoint(null);
    });
    plot.over.addEventListener("click", (event) => this.#clicked(plot, event));
    plot.over.append(this.#cursorLine.element);
    plot.over.addEventListener("dblclick", () => this.events.onReset());
    this.#plot = plot;
  }

  #axes(type: number): uPlot.Axis[] {
    const { muted, line, font } = this.palette;
    const common = {
      stroke: muted,
      font,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
      border: { show: false },
    };
    const increments = isBinary(type)
      ? binaryIncrements()
      : isDuration(type)
        ? DURATIONS
        : isWhole(type)
          ? wholeIncrements()
          : null;
    return [
      {
        ...common,
        grid: { show: false },
        ticks: { show: true, stroke: line, size: 4 },
        border: { show: true, stroke: line, width: 1 },
        size: 28,
        gap: 4,
        space: 64,
        values: (_, splits, __, ___, increment) => splits.map((at) => timeTick(at, increment)),
      },
      {
        ...common,
        size: AXIS_WIDTH,
        gap: 6,
        space: 26,
        values: (_, splits) => splits.map((value) => formatTick(type, value)),
        ...(increments && { incrs: increments }),
      },
    ];
  }

  #moved(plot: uPlot): void {
    if (!this.#isPointedAt) return;
    const { idx: index, left = -1 } = plot.cursor;
    this.#cursorLine.show(plot, this.#drawing.marks.events, left);
    this.#pointed = index === null || index === undefined ? null : (this.#drawing.times[index] ?? null);
    this.events.onPoint(this.#pointed);
  }

  #clicked(plot: uPlot, { clientX, clientY }: MouseEvent): void {
    const { left, top } = plot.over.getBoundingClientRect();
    const frame = this.container.getBoundingClientRect();
    const value = Math.max(0, plot.posToVal(clientY - top, "y"));
    const step = Math.abs(plot.posToVal(1, "y") - plot.posToVal(0, "y"));
    const point = { index: plot.posToIdx(clientX - left), value, step };
    this.events.onClick(point, { left: clientX - frame.left, top: clientY - frame.top, width: frame.width });
  }

  #selected(plot: uPlot): void {
    const { left, width } = plot.select;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (width < MIN_DRAG) return;
    this.events.onZoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  }
}
