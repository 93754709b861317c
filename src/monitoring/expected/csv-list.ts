/** Reads CSV with a header into a `HostList`. */
import type { HostList } from "./host-list.ts";
import { VARIABLES } from "./variables.ts";

const COLUMNS: Readonly<Record<string, string>> = {
  hostname: VARIABLES.hostname,
  host: VARIABLES.hostname,
  name: VARIABLES.hostname,
  groups: VARIABLES.groups,
  hostgroups: VARIABLES.groups,
  tags: VARIABLES.tags,
  description: VARIABLES.description,
  skew: VARIABLES.skew,
};
const SEPARATORS = [",", ";", "\t"] as const;

interface Row {
  line: number;
  cells: string[];
  /** The line of a quote that is not closed; 0 without one. */
  openQuote: number;
}

/** Whether a line is neither blank nor a comment. */
export function hasContent(line: string): boolean {
  const trimmed = line.trim();
  return trimmed !== "" && !trimmed.startsWith("#");
}

/** The rows of RFC 4180 in lines, with the numbers of the lines at which they begin. Comments are left out. */
function rowsOf(lines: readonly string[], separator: string): Row[] {
  const rows: Row[] = [];
  let row: Row = { line: 0, cells: [], openQuote: 0 };
  /** The line where the present cell begins, if it is quoted; 0 if not. */
  let quoteLine = 0;
  let isQuoted = false;
  const append = (text: string) => {
    row.cells[row.cells.length - 1] += text;
  };
  for (const [i, text] of lines.entries()) {
    if (isQuoted) append("\n");
    else if (!hasContent(text)) continue;
    else {
      row = { line: i + 1, cells: [""], openQuote: 0 };
      rows.push(row);
      quoteLine = 0;
    }
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? "";
      if (isQuoted) {
        if (character !== '"') append(character);
        else if (text[at + 1] === '"') append(text[++at] ?? "");
        else isQuoted = false;
      } else if (character === '"' && row.cells.at(-1) === "") [isQuoted, quoteLine] = [true, i + 1];
      else if (character === separator) {
        row.cells.push("");
        quoteLine = 0;
      } else {
        // Text right after a cell of several lines: the quote that ended the cell was meant to open a later one.
        if (quoteLine !== 0 && quoteLine <= i && character.trim() !== "") row.openQuote ||= quoteLine;
        append(character);
      }
    }
  }
  if (isQuoted) row.openQuote ||= quoteLine;
  return rows.filter(({ cells, openQuote }) => openQuote !== 0 || cells.some((cell) => cell.trim() !== ""));
}

/** The columns that a header names; null if the line is not the header of such a list. */
function headerOf(
  line: string,
): { separator: string; columns: (string | undefined)[]; ignored: string[] } | null {
  const separator = SEPARATORS.find((each) => line.includes(each)) ?? ",";
  const names = line.split(separator).map((name) => name.trim().replaceAll('"', "").toLowerCase());
  const columns = names.map((name) => (Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined));
  const ignored = names.filter((name, i) => name !== "" && columns[i] === undefined);
  return columns.includes(VARIABLES.hostname) ? { separator, columns, ignored } : null;
}

/** Whether the first line with content is the header of such a list. */
export function isCsvHeader(line: string): boolean {
  return headerOf(line) !== null;
}

/** Reads a list whose first line names its columns. Lines that cannot be read are refused with a reason. */
export function readCsv(list: HostList, text: string): void {
  const lines = text.split("\n");
  const first = Math.max(0, lines.findIndex(hasContent));
  const headerLine = lines[first] ?? "";
  const header = headerOf(headerLine);
  if (!header) {
    list.refuse(first + 1, headerLine, "the first line names the columns, one of them hostname");
    return;
  }
  list.ignoredColumns = header.ignored;
  for (const { line, cells, openQuote } of rowsOf(lines, header.separator)) {
    if (openQuote !== 0) {
      list.refuse(openQuote, lines[openQuote - 1] ?? "", "a quote is not closed");
      continue;
    }
    if (line === first + 1) continue;
    if (cells.length > header.columns.length) {
      list.refuse(line, cells.join(header.separator), "it has more cells than there are columns");
      continue;
    }
    const pairs = cells.flatMap((cell, i) => {
      const column = header.columns[i];
      return column && cell.trim() !== "" ? [[column, cell.trim()] as const] : [];
    });
    const { [VARIABLES.hostname]: name = "", ...variables } = Object.fromEntries(pairs) as Record<
      string,
      string
    >;
    if (name === "") list.refuse(line, cells.join(header.separator), "it has no hostname");
    else list.addRow(name, line, variables);
  }
}
