/** Lists in text inputs: items separated by commas. An item that contains a comma stands in double quotes. */

/** An item in quotes, in which a quote is doubled and the last one may still be missing, or text up to a comma. */
const PART = /\s*(?:"((?:[^"]|"")*)(?:"\s*(?=,|$)|$)|([^,]*))/y;

const NEEDS_QUOTES = /,|^"|^\s|\s$|^$/;

/** All parts of a text, also empty ones: the last is the one that is being typed. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  PART.lastIndex = 0;
  for (;;) {
    const [, quoted, plain = ""] = PART.exec(text) ?? [];
    parts.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    const at = PART.lastIndex;
    if (text[at] !== ",") return parts;
    PART.lastIndex = at + 1;
  }
}

/** The items of a text, without empty ones. */
export function itemsOf(text: string): string[] {
  return partsOf(text).filter((part) => part !== "");
}

/** The text from which `itemsOf` reads exactly these items. */
export function listText(items: readonly string[]): string {
  return items.map((item) => (NEEDS_QUOTES.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(", ");
}
