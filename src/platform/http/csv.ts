type Cell = string | number | null;

/** A table that is offered as a file. The first row names the columns. */
export class Csv {
  constructor(
    readonly filename: string,
    readonly rows: readonly (readonly Cell[])[],
  ) {}

  /** RFC 4180. */
  get text(): string {
    return this.rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
  }
}

/** A cell that begins like a formula is one to some spreadsheets; agents' texts must not be. */
function cellText(cell: Cell): string {
  const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell ?? "");
  // Spreadsheets separate by a semicolon where the comma is for decimals, and some by a tab or a bar.
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
