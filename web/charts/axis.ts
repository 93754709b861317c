/** Positions of the ticks of a value axis. */
import { STATISTIC as S, STATISTIC_UNITS, type StatisticUnit } from "../../src/monit/statistic-types.ts";

const BINARY: readonly StatisticUnit[] = ["kB", "MB", "bytes", "bytes/s"];

/** Whether the round values of a type are powers of two. */
export function isBinary(type: number): boolean {
  return BINARY.includes(STATISTIC_UNITS[type] ?? "none");
}

/** Whether the values are durations of up to many days, in seconds. */
export function isDuration(type: number): boolean {
  return type === S.uptime.code;
}

/** Powers of two, from well below 1 to beyond any disk. */
export function binaryIncrements(): number[] {
  return Array.from({ length: 70 }, (_, i) => 2 ** (i - 10));
}

const CODES: readonly number[] = [S.programStatus.code, S.linkState.code, S.linkDuplex.code];

/** Whether the values are whole numbers: counts, and codes such as an exit status. */
export function isWhole(type: number): boolean {
  return STATISTIC_UNITS[type] === "count" || CODES.includes(type);
}

/** Whole round numbers: 1, 2, 5, 10 and so on. */
export function wholeIncrements(): number[] {
  return Array.from({ length: 15 }, (_, i) => [1, 2, 5].map((digit) => digit * 10 ** i)).flat();
}
