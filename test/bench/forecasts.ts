/** What the daily forecasts cost. */

import { forecastsToStore } from "../../src/monitoring/forecast/forecast.service.ts";
import { WINDOW_DAYS } from "../../src/monitoring/forecast/forecast.ts";
import { decodeBlock, encodeBlock } from "../../src/monitoring/history/block.ts";
import { blocksWithin, putBlock } from "../../src/monitoring/history/history.repository.ts";
import { HOURLY } from "../../src/monitoring/history/resolutions.ts";
import { periodsOfRows, rowsOfPeriods } from "../../src/monitoring/history/rollup.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { type Db, transaction } from "../../src/platform/storage/open.ts";
import type { Figure } from "./harness/figures.ts";

const DAY = 86_400;
/** Hosts of the fleet that the share of a core is stated for. */
const FLEET = 10_000;
/** Largest share of a core that forecasts may take. */
const TARGET_PERCENT = 2;

/** Repeats the newest day of a host on all days before, each a little lower. */
function fillWindow(db: Db, hostId: number, now: number): void {
  const newest = blocksWithin(db, hostId, HOURLY, { from: 0, to: now }).at(-1);
  if (!newest) throw new Error(`host ${hostId} has no day of history`);
  const periods = periodsOfRows(decodeBlock(newest.payload));
  for (let day = 1; day < WINDOW_DAYS; day++) {
    const earlier = periods.map(({ at, aggregates }) => ({
      at: at - day * DAY,
      aggregates: new Map(
        [...aggregates].map(([id, aggregate]) => [
          id,
          { ...aggregate, sum: aggregate.sum * (1 - (day % 50) / 100) },
        ]),
      ),
    }));
    putBlock(db, {
      hostId,
      resolution: HOURLY,
      start: newest.start - day * DAY,
      payload: encodeBlock(rowsOfPeriods(earlier)),
    });
  }
}

/** CPU time of the forecasts of a host with two months of history. */
export function forecastFigures(db: Db, clock: Clock, hostCount: number): Figure[] {
  transaction(db, () => {
    for (let id = 1; id <= hostCount; id++) fillWindow(db, id, clock.now());
  });
  const before = process.cpuUsage();
  for (let id = 1; id <= hostCount; id++) forecastsToStore(db, id, clock.now());
  const { user, system } = process.cpuUsage(before);
  const perHost = (user + system) / hostCount / 1e6;
  return [
    { what: "forecasts of a host, CPU", value: perHost * 1000, unit: "ms" },
    {
      what: `of a core, at ${FLEET} hosts a day`,
      value: (100 * perHost * FLEET) / DAY,
      unit: "%",
      target: { atMost: TARGET_PERCENT },
    },
  ];
}
