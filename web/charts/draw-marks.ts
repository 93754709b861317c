/** Draws maintenance as bands behind the values, and events as flags under the time axis. */
import type uPlot from "uplot";
import type { Marks } from "./marks.ts";
import type { Palette } from "./palette.ts";
import type { TimeSpan } from "./range.ts";

/** Size of a flag, pixels. It hangs between the axis and its labels. */
const FLAG = { halfWidth: 4, height: 6 };
/** Distance within which the pointer is at an event, pixels. */
const REACH = 5;
/** States of events in the order in which their flags are drawn: a failure covers the others. */
const ORDER = [2, 0, 1];
const CLASSES = ["mark-recovery", "mark-failure", "mark-change"];

type MarkedEvent = Marks["events"][number];

const isShown = (plot: uPlot, at: number) =>
  at >= (plot.scales.x?.min ?? 0) && at <= (plot.scales.x?.max ?? Number.POSITIVE_INFINITY);

/** Drawn behind the values. */
export function drawMaintenance(plot: uPlot, spans: readonly TimeSpan[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const x = (at: number) =>
    Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(at, "x", true)));
  ctx.save();
  ctx.fillStyle = palette.maintenance;
  for (const { from, to } of spans)
    ctx.fillRect(x(from), bbox.top, Math.max(1, x(to) - x(from)), bbox.height);
  ctx.restore();
}

/** Draws a flag on the axis for each event. Where they overlap, failures cover the others. */
export function drawFlags(plot: uPlot, events: readonly MarkedEvent[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const [halfWidth, height] = [FLAG.halfWidth * devicePixelRatio, FLAG.height * devicePixelRatio];
  const axis = bbox.top + bbox.height;
  ctx.save();
  for (const layer of ORDER) {
    ctx.fillStyle = palette.event(layer);
    for (const { at, state } of events) {
      if (state !== layer || !isShown(plot, at)) continue;
      const x = plot.valToPos(at, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, axis);
      ctx.lineTo(x - halfWidth, axis + height);
      ctx.lineTo(x + halfWidth, axis + height);
      ctx.fill();
    }
  }
  ctx.restore();
}

/** The line of the event at the pointer. */
export class CursorLine {
  readonly element = document.createElement("div");

  constructor() {
    this.element.className = "mark-line";
    this.element.hidden = true;
  }

  /** @param left position of the pointer, pixels; negative if it is outside the chart */
  show(plot: uPlot, events: readonly MarkedEvent[], left: number): void {
    const near = events
      .filter(({ at }) => left >= 0 && isShown(plot, at))
      .map(({ at, state }) => ({ state, x: plot.valToPos(at, "x") }))
      .map((event) => ({ ...event, distance: Math.abs(event.x - left) }))
      .filter(({ distance }) => distance <= REACH)
      .sort((a, b) => a.distance - b.distance || ORDER.indexOf(b.state) - ORDER.indexOf(a.state));
    const [event] = near;
    this.element.hidden = event === undefined;
    if (!event) return;
    this.element.className = `mark-line ${CLASSES[event.state] ?? ""}`;
    this.element.style.left = `${event.x}px`;
  }
}
