import { PREDICTED, STATISTIC } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { forecastsOf } from "./forecast.repository.ts";

const DAY = 86_400;
/** What stands for a value that will not be full: longer than any forecast. */
export const NEVER_DAYS = 3650;

/** The types of statistics that are predicted, and the types that tell the days until they are full. */
export const DAYS_TYPES: ReadonlyMap<number, number> = new Map([
  [STATISTIC.spacePercent.code, PREDICTED.spaceFullDays.code],
  [STATISTIC.inodePercent.code, PREDICTED.inodesFullDays.code],
  [STATISTIC.memoryPercent.code, PREDICTED.memoryFullDays.code],
]);

/**
 * The days until statistics of a host are full, as of its last forecast.
 * @returns by the id of the predicted statistic; NEVER_DAYS for those without a forecast
 */
export function predictedDays(db: Db, hostId: number): (statisticId: number) => number {
  const days = new Map(
    forecastsOf(db, hostId).map((row) => [row.statisticId, (row.fullAt - row.calculatedAt) / DAY]),
  );
  return (statisticId) => days.get(statisticId) ?? NEVER_DAYS;
}
