/** The resolutions of history and their retention. Compaction, reading and deletion all use this table. */
import { DAY, HOUR } from "../../platform/clock.ts";
import type { SettingName } from "../../platform/settings/settings.definitions.ts";

export interface Resolution {
  /** Length of a period, seconds; 0: raw samples. */
  readonly seconds: number;
  /** Time span of one block, seconds. */
  readonly blockSpan: number;
  /** The setting with the number of days for which blocks are kept. */
  readonly retention: SettingName & `history${string}`;
  /** The setting with the time before which blocks were deleted. */
  readonly since: SettingName & `history${string}since`;
}

export const RAW = {
  seconds: 0,
  blockSpan: HOUR,
  retention: "historyraw",
  since: "historyrawsince",
} as const satisfies Resolution;
export const FIVE_MINUTES = {
  seconds: 300,
  blockSpan: HOUR,
  retention: "historyfiveminutes",
  since: "historyfiveminutessince",
} as const satisfies Resolution;
export const HOURLY = {
  seconds: HOUR,
  blockSpan: DAY,
  retention: "historyhourly",
  since: "historyhourlysince",
} as const satisfies Resolution;

/** Finest first. */
export const RESOLUTIONS: readonly Resolution[] = [RAW, FIVE_MINUTES, HOURLY];

/** The start of the span of `size` seconds that contains `at`. */
export function startOf(at: number, size: number): number {
  return Math.floor(at / size) * size;
}
