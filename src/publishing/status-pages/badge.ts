/** A status badge as SVG, for READMEs and dashboards. */
import { html } from "hono/html";
import { cleanLine, cut } from "../../platform/text.ts";
import { MARKS, type Tone } from "./overall-status.ts";

const HEIGHT = 20;
const PADDING = 8;
/**
 * Approximate width of a letter, pixels; `textLength` makes the text fit exactly. Wide characters count as two letters,
 * combining ones as none.
 */
const LETTER = 6.2;
const MAX_LABEL = 60;

const FILLS: Readonly<Record<Tone, string>> = {
  red: "#b3261e",
  orange: "#8f5200",
  green: "#1d6f3b",
  gray: "#5c646c",
};

/** Removes characters that XML does not allow, which agents may put into names. */
function label(text: string): string {
  return cut(cleanLine(text).replace(/[\ufffe\uffff]/g, " "), MAX_LABEL);
}

/** @returns the badge as SVG; both texts are escaped */
export function badge(name: string, tone: Tone, text: string): string {
  const left = label(name);
  const state = label(text);
  const right = `${MARKS[tone]} ${state}`;
  const widthOf = (words: string) => Math.ceil(Bun.stringWidth(words) * LETTER) + 2 * PADDING;
  const [first, second] = [widthOf(left), widthOf(right)];
  const width = first + second;
  const words = (content: string, x: number, box: number) =>
    html`<text x="${x + box / 2}" y="14" textLength="${box - 2 * PADDING}">${content}</text>`;
  return String(html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${left}: ${state}">
<title>${left}: ${state}</title>
<clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="${first}" height="${HEIGHT}" fill="#3b4147"/><rect x="${first}" width="${second}" height="${HEIGHT}" fill="${FILLS[tone]}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${words(left, 0, first)}${words(right, first, second)}</g>
</svg>
`);
}
