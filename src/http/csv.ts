import type { AppContext } from "./context.ts";

type Cell = string | number | null;

/** A cell that begins like a formula is one to some spreadsheets; agents' texts must not be. */
function cellText(cell: Cell): string {
  const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table as CSV (RFC 4180, UTF-8), offered as a file. The first row names the columns. */
export function csvReply(c: AppContext, filename: string, rows: readonly (readonly Cell[])[]): Response {
  return c.body(rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join(""), 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${filename}"`,
    "Cache-Control": "no-store",
  });
}
