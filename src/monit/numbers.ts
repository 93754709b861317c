/** Numbers as agents write them, some followed by a unit: "25638.3 MB", "12.5%", "30 s". */
import type { StatisticUnit } from "./statistic-types.ts";

const DECIMAL = /^-?\d{1,30}(?:\.\d{1,30})?$/;
const WITH_UNIT = /^(-?\d{1,30}(?:\.\d{1,30})?)\s?(B|kB|KB|MB|GB|TB|%|ms|s)$/;
const WHOLE = /^-?\d{1,16}$/;
/** C's output for a division by zero, for example for an empty file system. */
const NO_NUMBER = /^[-+]?(?:nan|inf|infinity)$/i;

/** A unit as a multiple of the smallest unit of the same dimension. */
interface Measure {
  of: "size" | "time" | "share";
  factor: number;
}

const KB = 1024;
/** The units of statistics, and those that agents write behind a number. */
const MEASURES: Readonly<Record<string, Measure>> = {
  B: { of: "size", factor: 1 },
  bytes: { of: "size", factor: 1 },
  "bytes/s": { of: "size", factor: 1 },
  kB: { of: "size", factor: KB },
  KB: { of: "size", factor: KB },
  MB: { of: "size", factor: KB ** 2 },
  GB: { of: "size", factor: KB ** 3 },
  TB: { of: "size", factor: KB ** 4 },
  ms: { of: "time", factor: 1 },
  s: { of: "time", factor: 1000 },
  seconds: { of: "time", factor: 1000 },
  "%": { of: "share", factor: 1 },
  percent: { of: "share", factor: 1 },
};

/** Whether the text is an agent's way of saying that it has no number ("nan", "inf"). */
export function isNoNumber(text: string): boolean {
  return NO_NUMBER.test(text);
}

function converted(text: string, unit: StatisticUnit): number | null {
  const [, digits = "", suffix = ""] = WITH_UNIT.exec(text) ?? [];
  const [written, wanted] = [MEASURES[suffix], MEASURES[unit]];
  if (written === undefined || written.of !== wanted?.of) return null;
  // Converting a number into its own unit could change its last digit.
  return written.factor === wanted.factor
    ? Number(digits)
    : (Number(digits) * written.factor) / wanted.factor;
}

/** Parses a decimal number, in `unit` unless a suffix says otherwise; null if the text is not a number. */
export function decimalOf(text: string, unit: StatisticUnit): number | null {
  return DECIMAL.test(text) ? Number(text) : converted(text, unit);
}

/** Parses an integer as `decimalOf` does. A converted number is rounded. */
export function integerOf(text: string, unit: StatisticUnit): number | null {
  if (WHOLE.test(text)) return Number(text);
  const number = converted(text, unit);
  return number === null ? null : Math.round(number);
}
