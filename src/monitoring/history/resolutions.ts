/** How finely history is kept, and for how long. Everything that compacts, reads or deletes history goes by this table. */
import type { SettingName } from "../../platform/settings/settings.definitions.ts";

export interface Resolution {
  /** Length of a period, seconds; 0 = every sample as measured. */
  readonly seconds: number;
  /** Time that one block holds, seconds. */
  readonly blockSpan: number;
  /** The setting that says how many days blocks are kept. */
  readonly retention: SettingName & `history${string}`;
}

const HOUR = 3600;
const DAY = 86_400;

export const RAW = { seconds: 0, blockSpan: HOUR, retention: "historyraw" } as const satisfies Resolution;
export const FIVE_MINUTES = {
  seconds: 300,
  blockSpan: HOUR,
  retention: "historyfiveminutes",
} as const satisfies Resolution;
export const HOURLY = {
  seconds: HOUR,
  blockSpan: DAY,
  retention: "historyhourly",
} as const satisfies Resolution;

/** Finest first. */
export const RESOLUTIONS: readonly Resolution[] = [RAW, FIVE_MINUTES, HOURLY];

/** The start of the span of `size` seconds that `at` falls into. */
export function startOf(at: number, size: number): number {
  return Math.floor(at / size) * size;
}
