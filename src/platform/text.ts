/** Texts for people and programs: their length, and characters that recipients cannot handle. */

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What was thrown with the stack that led there, for the log. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The code of whatever was thrown, such as ECONNRESET, or an SQLSTATE; "" without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** What a JSON text says; undefined if it is something else, such as the page of a proxy. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON. @param units UTF-16 code units that are escaped; a global expression */
export function escapedJson(value: unknown, units: RegExp): string {
  return JSON.stringify(value).replace(
    units,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A number with commas between thousands, whatever the language of the machine: "2,500". */
export function separated(n: number): string {
  return n.toLocaleString("en-US");
}

/** A number with a noun: "1 host", "2,500 hosts". */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${separated(n)} ${n === 1 ? noun : plural}`;
}

/** A text with a capital letter at its beginning. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Stands for what was cut off. */
export const ELLIPSIS = "...";

/** Truncates a text. @param max UTF-16 code units; longer texts end in "..." */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  return (
    text
      .slice(0, max - ELLIPSIS.length)
      .replace(/[\ud800-\udbff]$/, "")
      .toWellFormed() + ELLIPSIS
  );
}

/** Truncates a text. @param max bytes of UTF-8; longer texts end in "..." */
export function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= max) return bytes.toString("utf8");
  let end = max - ELLIPSIS.length;
  // Do not cut within a character: continuation bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString("utf8") + ELLIPSIS;
}

/** Whether a text has a character that can be seen: more than blanks, control characters and those without width. */
export function isVisible(text: string): boolean {
  return /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u.test(text);
}

/**
 * Replaces U+0000 in external text by U+FFFD, since databases and programs differ in treating it as the end
 * of a text. Decoding already removes it from texts of agents.
 */
export function withoutNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

/** Replaces control characters, such as those of agents' texts, by spaces. Line ends and tabs are kept. */
export function clean(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, " ");
}

/** Replaces each run of control characters by a space, also of line ends and tabs, which leaves one line. */
export function cleanLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
