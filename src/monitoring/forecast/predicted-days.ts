import { PREDICTED, STATISTIC } from "../../monit/statistic-types.ts";
import { DAY } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { forecastsOf } from "./forecast.repository.ts";
import { FRESH_SECONDS } from "./forecast.ts";

/** Stands for "never full": longer than any forecast. */
const NEVER_DAYS = 3650;

/** The types that are predicted, each with the type that holds the days until it is full. */
export const DAYS_TYPES: ReadonlyMap<number, number> = new Map([
  [STATISTIC.spacePercent.code, PREDICTED.spaceFullDays.code],
  [STATISTIC.inodePercent.code, PREDICTED.inodesFullDays.code],
  [STATISTIC.memoryPercent.code, PREDICTED.memoryFullDays.code],
]);

/** The days until something is full, as of its last forecast. */
export interface PredictedDays {
  readonly days: number;
  /** When the forecast becomes outdated, unix seconds. From then on the value is missing. */
  readonly outdatedAt: number;
}

/** The days of a statistic without a forecast. */
export const NEVER: PredictedDays = { days: NEVER_DAYS, outdatedAt: Number.POSITIVE_INFINITY };

/**
 * The days until statistics of a host are full, as of its last forecast.
 * @returns by the id of the predicted statistic; NEVER for those without a forecast
 */
export function predictedDays(db: Db, hostId: number): (statisticId: number) => PredictedDays {
  const predictions = new Map(
    forecastsOf(db, hostId).map(({ statisticId, fullAt, calculatedAt }) => [
      statisticId,
      { days: (fullAt - calculatedAt) / DAY, outdatedAt: calculatedAt + FRESH_SECONDS },
    ]),
  );
  return (statisticId) => predictions.get(statisticId) ?? NEVER;
}
