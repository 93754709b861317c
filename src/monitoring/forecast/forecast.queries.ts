import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { ForecastGetArguments, ForecastListArguments } from "./forecast.schemas.ts";
import { Forecasts, forecastsToStore } from "./forecast.service.ts";

/** Queries of forecasts that run on a query worker. */
export function forecastQueries(db: Db, clock: Clock) {
  const forecasts = new Forecasts(db, clock);
  return {
    forecastOfHost: (args: ForecastGetArguments, scope: Scope) => forecasts.get(args, scope),
    forecastsToStore: (hostId: number) => ({ rows: forecastsToStore(db, hostId, clock.now()) }),
    forecastList: (args: ForecastListArguments, scope: Scope) => forecasts.list(args, scope),
  };
}

export type ForecastQueries = AsyncQueries<ReturnType<typeof forecastQueries>>;
