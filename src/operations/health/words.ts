/** Numbers in the texts of findings. */
import { counted } from "../../platform/text.ts";

/** The most things that a text names. */
const NAMED = 3;
const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/**
 * The first names, as many as a text contains, and how many more there are.
 * @param noun of the things, in the singular
 */
export function named(names: readonly string[], count: number, noun: string): string {
  const shown = names.slice(0, NAMED);
  const others = count - shown.length;
  return `${shown.join(", ")}${others > 0 ? ` and ${counted(others, `other ${noun}`)}` : ""}`;
}

/** A number of days, less than one as "less than a day". */
export function days(n: number): string {
  return n < 1 ? "less than a day" : counted(Math.floor(n), "day");
}

/** Bytes with two significant digits, so that a text about them rarely changes. */
export function size(bytes: number): string {
  const exponent = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** exponent).toPrecision(2))} ${UNITS[exponent]}`;
}
