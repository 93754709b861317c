import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { databaseError, isDamage } from "../../platform/storage/database-error.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { forecastsOf, nextHost, storeForecasts } from "./forecast.repository.ts";
import { forecastsToStore } from "./forecast.service.ts";

/** Interval between two steps, milliseconds. */
export const FORECAST_STEP_MS = 500;
/** Duration of a step, milliseconds. It finishes the host that it began, which takes about 25 ms of its own. */
const STEP_BUDGET_MS = 16;
/** When a pass begins, seconds after midnight UTC: the hours of the day before are summed up by then. */
const BEGIN = 3600;
const DAY = 86_400;

export interface ForecastPassDependencies {
  db: Db;
  settings: Settings;
  clock: Clock;
  log: Log;
  /** Called in the transaction that stored other forecasts of a host. */
  onStored: (hostId: number) => void;
  /** Monotonic clock, milliseconds. */
  monotonic: () => number;
}

/** Makes the forecasts of all hosts once a day, in small steps. A pass that is interrupted begins anew. */
export class ForecastPass {
  /** Last host of the current pass that is done. */
  #lastHost = 0;

  constructor(private readonly dependencies: ForecastPassDependencies) {}

  /** @returns whether there is more to do today */
  step(): boolean {
    const { db, settings, clock, monotonic } = this.dependencies;
    const today = Math.floor((clock.now() - BEGIN) / DAY);
    if (today <= settings.get("forecastday")) return false;
    const end = monotonic() + STEP_BUDGET_MS;
    do {
      const hostId = nextHost(db, this.#lastHost);
      if (hostId === null) {
        transaction(db, () => settings.set("forecastday", today));
        this.#lastHost = 0;
        return false;
      }
      this.#update(hostId);
      this.#lastHost = hostId;
    } while (monotonic() < end);
    return true;
  }

  /** A host with a damaged block keeps its forecasts and does not stop the others. */
  #update(hostId: number): void {
    const { db, clock, log, onStored } = this.dependencies;
    try {
      const rows = forecastsToStore(db, hostId, clock.now());
      if (rows.length === 0 && forecastsOf(db, hostId).length === 0) return;
      transaction(db, () => {
        storeForecasts(db, hostId, rows);
        onStored(hostId);
      });
    } catch (error) {
      if (databaseError(error) !== null && !isDamage(error)) throw error;
      log.error("forecasts of a host cannot be made", { host: hostId, error });
    }
  }
}
