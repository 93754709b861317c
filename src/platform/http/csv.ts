type Cell = string | number | null;

/** A table offered as a CSV download. The first row names the columns. */
export class Csv {
  constructor(
    readonly filename: string,
    readonly rows: readonly (readonly Cell[])[],
  ) {}

  /** The table as RFC 4180 text. */
  get text(): string {
    return this.rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
  }
}

/**
 * Spreadsheets evaluate a cell that begins like a formula, some also one that begins with the wide form of such a
 * character; text from an agent must not exploit that.
 */
function cellText(cell: Cell): string {
  const isLikeFormula = typeof cell === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(cell);
  const text = isLikeFormula ? `'${cell}` : String(cell ?? "");
  // Also quoted: semicolons, tabs and bars, which some spreadsheets take for separators.
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
