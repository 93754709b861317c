/** Excerpts that show how two outputs of a program differ. */
import { cutBytes, ELLIPSIS } from "../../platform/text.ts";

/** Longest excerpt, bytes of UTF-8. */
export const MAX_EXCERPT = 200;
/** How much of a long line is shown before the first difference, UTF-16 code units. */
const CONTEXT = 60;

/** Length of the common beginning of two texts, UTF-16 code units. */
function commonStart(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Length of the common end of two texts, behind their common beginning of length `start`. */
function commonEnd(a: string, b: string, start: number): number {
  const limit = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - length - 1) === b.charCodeAt(b.length - length - 1))
    length++;
  return length;
}

/** The start of the line at this index. */
function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** The end of the line at this index. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The lines from the first to the last difference, in both texts. @returns at most `MAX_EXCERPT` bytes of each */
export function excerpts(before: string, after: string): { before: string; after: string } {
  const startLength = commonStart(before, after);
  const line = lineStart(before, startLength);
  const isLong = startLength - line > CONTEXT;
  const start = isLong ? startLength - CONTEXT : line;
  const endLength = commonEnd(before, after, startLength);
  const excerpt = (text: string) => {
    const lines = text.slice(start, lineEnd(text, text.length - endLength));
    return cutBytes(isLong ? ELLIPSIS + lines.replace(/^[\udc00-\udfff]/, "") : lines, MAX_EXCERPT);
  };
  return { before: excerpt(before), after: excerpt(after) };
}
