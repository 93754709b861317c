/** Loaded apart from the list of hosts, because the table of statistics is large and few users sort by these columns. */
import { STATISTIC } from "../../src/monit/statistic-types.ts";

/** What is ranked for each column, by its key. */
export const RANKED = {
  disk: { type: STATISTIC.spacePercent.code },
  load: { type: STATISTIC.load.code, descriptor: "1min" },
} as const;
