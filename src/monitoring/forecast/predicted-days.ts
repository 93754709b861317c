import { PREDICTED, STATISTIC } from "../../monit/statistic-types.ts";
import { DAY } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { forecastsOf } from "./forecast.repository.ts";
import { FRESH_SECONDS } from "./forecast.ts";

/** Stands for "never full": longer than any forecast. */
export const NEVER_DAYS = 3650;

/** The types that are predicted, each with the type that holds the days until it is full. */
export const DAYS_TYPES: ReadonlyMap<number, number> = new Map([
  [STATISTIC.spacePercent.code, PREDICTED.spaceFullDays.code],
  [STATISTIC.inodePercent.code, PREDICTED.inodesFullDays.code],
  [STATISTIC.memoryPercent.code, PREDICTED.memoryFullDays.code],
]);

/**
 * The days until statistics of a host are full, as of its last forecast.
 * @returns by the id of the predicted statistic; NEVER_DAYS for those without a forecast, NaN for an outdated one
 */
export function predictedDays(db: Db, hostId: number, now: number): (statisticId: number) => number {
  const days = new Map(
    forecastsOf(db, hostId).map(({ statisticId, fullAt, calculatedAt }) => [
      statisticId,
      calculatedAt > now - FRESH_SECONDS ? (fullAt - calculatedAt) / DAY : Number.NaN,
    ]),
  );
  return (statisticId) => days.get(statisticId) ?? NEVER_DAYS;
}
