/** Texts as others can take them: not too long, without what they cannot show. */

const ELLIPSIS = "...";

/** @param max UTF-16 units; what is longer ends in "..." */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  return (
    text
      .slice(0, max - ELLIPSIS.length)
      .replace(/[\ud800-\udbff]$/, "")
      .toWellFormed() + ELLIPSIS
  );
}

/** @param max bytes of UTF-8; what is longer ends in "..." */
export function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= max) return bytes.toString("utf8");
  let end = max - ELLIPSIS.length;
  // Not within a character: the bytes that continue one begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString("utf8") + ELLIPSIS;
}

/**
 * What comes from elsewhere, with U+FFFD instead of U+0000: databases and programs take that for the end of a text, each in
 * its own way. Texts of agents have lost it when they are decoded.
 */
export function withoutNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

/** Without control characters, which agents may put into their texts; line ends stay unless it is to be one line. */
export function clean(text: string, lines = true): string {
  const other = lines ? /[^\P{Cc}\n\t]/gu : /\p{Cc}+/gu;
  return text.replace(/\r\n?/g, "\n").replace(other, " ");
}
