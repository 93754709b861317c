/** Reads CSV with a header into a `HostList`. */
import { type HostList, VARIABLES } from "./host-list.ts";

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
}

/** The rows of a text of RFC 4180, with the lines at which they begin. */
function rowsOf(text: string, separator: string): Row[] {
  const rows: Row[] = [];
  let row: Row = { line: 1, cells: [""] };
  let line = 1;
  let isQuoted = false;
  const append = (character: string) => {
    row.cells[row.cells.length - 1] += character;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? "";
    if (character === "\n") line++;
    if (isQuoted) {
      if (character !== '"') append(character);
      else if (text[i + 1] === '"') append(text[++i] ?? "");
      else isQuoted = false;
    } else if (character === '"' && row.cells.at(-1) === "") isQuoted = true;
    else if (character === separator) row.cells.push("");
    else if (character === "\n") {
      rows.push(row);
      row = { line, cells: [""] };
    } else append(character);
  }
  return [...rows, row].filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
}

/** The columns of a first line; null if it is not the header of such a list. */
function headerOf(line: string): { separator: string; columns: (string | undefined)[] } | null {
  const separator = SEPARATORS.find((each) => line.includes(each)) ?? ",";
  const names = line.split(separator).map((name) => name.trim().replaceAll('"', "").toLowerCase());
  const columns = names.map((name) => (Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined));
  return columns.includes(VARIABLES.hostname) ? { separator, columns } : null;
}

/** Whether a text begins with the header of such a list. */
export function isCsv(text: string): boolean {
  return headerOf(firstLine(text)) !== null;
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}

export function readCsv(list: HostList, text: string): void {
  const header = headerOf(firstLine(text));
  if (!header) {
    list.refuse(1, firstLine(text), "the first line names the columns, one of them hostname");
    return;
  }
  const [, ...rows] = rowsOf(text, header.separator);
  for (const { line, cells } of rows) {
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
