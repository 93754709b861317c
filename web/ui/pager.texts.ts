/** Texts of the pages of a long list. */
import { formatNumber } from "../text/format.ts";

export const PAGER = {
  pages: "List pages",
  page: (from: number, to: number, total: number) =>
    `${formatNumber(from, 0)} to ${formatNumber(to, 0)} of ${formatNumber(total, 0)}`,
  newer: "Newer",
  older: "Older",
} as const;
