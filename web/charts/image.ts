/** Saves a chart as an image. */
import { seriesClass } from "./palette.ts";
import type { Panel } from "./panels.ts";

const MARGIN = 16;
const LINE = 20;

/** Draws title, plot and the names of the series onto one canvas, in the colours of the page. */
function compose(
  figure: HTMLElement,
  plot: HTMLCanvasElement,
  panel: Panel,
  span: string,
): HTMLCanvasElement {
  const scale = plot.width / Math.max(1, plot.clientWidth);
  const style = getComputedStyle(figure);
  const image = document.createElement("canvas");
  image.width = plot.width + 2 * MARGIN * scale;
  image.height = plot.height + (3 * LINE + panel.series.length * LINE + 2 * MARGIN) * scale;
  const context = image.getContext("2d");
  if (!context) throw new Error("the browser gives no drawing context");
  context.scale(scale, scale);
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, image.width, image.height);
  context.fillStyle = style.color;
  context.font = `600 15px ${style.fontFamily}`;
  context.fillText(panel.title, MARGIN, MARGIN + 12);
  context.font = `12px ${style.fontFamily}`;
  context.fillText(span, MARGIN, MARGIN + LINE + 12);
  const top = MARGIN + 2 * LINE;
  context.drawImage(plot, MARGIN, top, plot.clientWidth, plot.clientHeight);
  for (const [i, series] of panel.series.entries()) {
    const y = top + plot.clientHeight + (i + 1) * LINE;
    const swatch = figure.querySelector(`.${seriesClass(i)}`);
    context.fillStyle = swatch ? getComputedStyle(swatch).stroke : style.color;
    context.fillRect(MARGIN, y - 5, 18, 3);
    context.fillStyle = style.color;
    context.fillText(series.label, MARGIN + 26, y);
  }
  return image;
}

/** Downloads a chart as a PNG file. @param figure the element of the chart */
export function saveImage(figure: HTMLElement, panel: Panel, span: string): void {
  const plot = figure.querySelector("canvas");
  if (!plot) return;
  compose(figure, plot, panel, span).toBlob((blob) => {
    if (!blob) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${panel.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.png`;
    link.click();
    URL.revokeObjectURL(link.href);
  }, "image/png");
}
