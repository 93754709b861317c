import { type Clock, DAY } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { databaseError, isDamage } from "../../platform/storage/database-error.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { ForecastQueries } from "./forecast.queries.ts";
import { forecastsOf, nextHost, storeForecasts } from "./forecast.repository.ts";
import { MIN_DAYS } from "./forecast.ts";

/** Interval between two steps, milliseconds. */
export const FORECAST_STEP_MS = 500;
/**
 * Duration of a step, milliseconds. A step finishes the host it has begun, which takes about 25 ms of a query worker.
 */
const STEP_BUDGET_MS = 16;
/** The most attempts at the forecasts of a host. */
const MAX_ATTEMPTS = 3;
/** When a pass begins, seconds after midnight UTC: the hours of the previous day are rolled up by then. */
const BEGIN = 3600;

export interface ForecastPassDependencies {
  db: Db;
  settings: Settings;
  clock: Clock;
  log: Log;
  queries: Pick<ForecastQueries, "forecastsToStore">;
  /** Called in the transaction that stores new forecasts of a host. */
  onStored: (hostId: number) => void;
  /** Monotonic clock, milliseconds. */
  monotonic: () => number;
}

/** Age from which a host can have values of enough days, seconds. Its first and last day may be incomplete. */
const MIN_AGE = (MIN_DAYS - 2) * DAY;

/**
 * Calculates the forecasts of all hosts that are old enough once a day, in small steps, on the query worker. An
 * interrupted pass starts over.
 */
export class ForecastPass {
  /** The last finished host of the current pass. */
  #lastHost = 0;
  /** Failed attempts at the next host. */
  #failed = 0;
  #underWay: Promise<void> | null = null;
  /** The error of the last step; null if it stored its results. */
  #storageError: unknown = null;

  constructor(private readonly dependencies: ForecastPassDependencies) {}

  /**
   * Begins a step, unless the last one is still under way.
   * @returns whether there is more to do today
   * @throws the database error of the last step; the pass continues with the same host
   */
  step(): boolean {
    if (this.#underWay) return true;
    const error = this.#storageError;
    this.#storageError = null;
    if (error !== null) throw error;
    const { db, settings } = this.dependencies;
    const today = this.#today;
    // If the clock was ahead, the last day is a later one.
    if (today === settings.get("forecastday")) return false;
    const hostId = this.#nextHost(this.#lastHost);
    if (hostId === null) {
      transaction(db, () => settings.set("forecastday", today));
      this.#lastHost = 0;
      return false;
    }
    this.#underWay = this.#advance(hostId).finally(() => {
      this.#underWay = null;
    });
    return true;
  }

  /**
   * Number of past days without forecasts, since the last day with some. Today does not count, as its pass may take
   * all day.
   */
  get daysBehind(): number {
    const last = this.dependencies.settings.get("forecastday");
    return last === 0 ? 0 : Math.max(0, this.#today - last - 1);
  }

  /** The day of the present pass, since 1970. */
  get #today(): number {
    return Math.floor((this.dependencies.clock.now() - BEGIN) / DAY);
  }

  /** Resolves when the current step has ended. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  #nextHost(after: number): number | null {
    const { db, clock } = this.dependencies;
    return nextHost(db, after, clock.now() - MIN_AGE);
  }

  async #advance(first: number): Promise<void> {
    const { log, monotonic } = this.dependencies;
    const end = monotonic() + STEP_BUDGET_MS;
    let hostId: number | null = first;
    try {
      do {
        await this.#update(hostId);
        this.#done(hostId);
        hostId = this.#nextHost(hostId);
      } while (hostId !== null && monotonic() < end);
    } catch (error) {
      if (databaseError(error) !== null && !isDamage(error)) {
        this.#storageError = error;
        return;
      }
      // A host with a damaged block keeps its forecasts and does not stop the others.
      if (hostId === null || ++this.#failed < MAX_ATTEMPTS) return;
      log.error("forecasts of a host cannot be made", { host: hostId, error });
      this.#done(hostId);
    }
  }

  #done(hostId: number): void {
    this.#lastHost = hostId;
    this.#failed = 0;
  }

  async #update(hostId: number): Promise<void> {
    const { db, queries, onStored } = this.dependencies;
    const { rows } = (await queries.forecastsToStore("forecasts", hostId)).value;
    if (rows.length === 0 && forecastsOf(db, hostId).length === 0) return;
    transaction(db, () => {
      storeForecasts(db, hostId, rows);
      onStored(hostId);
    });
  }
}
