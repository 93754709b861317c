import { clean } from "../../platform/text.ts";

/**
 * A line with texts that agents and users choose, as names: a control character in one could add lines, or command the
 * terminal. @param columns separated by tabs
 */
export function printedLine(...columns: readonly string[]): string {
  return columns.map((text) => clean(text, false)).join("\t");
}
