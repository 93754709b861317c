import { cleanLine } from "../../platform/text.ts";

/**
 * A line that contains texts of agents or users, such as names. A control character in one could add lines, or control
 * the terminal. @param columns separated by tabs
 */
export function printedLine(...columns: readonly string[]): string {
  return columns.map((text) => cleanLine(text)).join("\t");
}
