import { STATISTIC } from "../../monit/statistic-types.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import { found } from "../../platform/http/errors.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { statisticsOfHistory } from "../history/history.repository.ts";
import { hourlyMeans, wholeHours } from "../history/hourly-means.ts";
import { findHost } from "../hosts/hosts.repository.ts";
import { HOURS } from "./daily-values.ts";
import { countForecasts, listForecasts, type StoredForecast } from "./forecast.repository.ts";
import type { ForecastGetArguments, ForecastListArguments } from "./forecast.schemas.ts";
import { FRESH_SECONDS, type Full, forecast, type NoForecast, WINDOW_DAYS } from "./forecast.ts";

/** A percentage that can fill up: disk space, inodes or memory. */
const TYPES = [STATISTIC.spacePercent.code, STATISTIC.inodePercent.code, STATISTIC.memoryPercent.code];

/** Decimals of numbers in replies: more than forecasts are exact. */
const DECIMALS = 3;

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}

interface Prediction {
  statistic: ReturnType<typeof statisticsOfHistory>[number];
  /** Percent; null without values in the last two months. */
  usage: number | null;
  result: Full | NoForecast;
}

/** Predicts from a host's history when its present disks, inodes and memory will be full. */
function predict(db: Db, hostId: number, now: number, serviceId?: number): Prediction[] {
  const statistics = statisticsOfHistory(db, hostId, { type: TYPES, serviceid: serviceId, isPresent: true });
  if (statistics.length === 0) return [];
  const ids = statistics.map(({ id }) => id);
  const means = hourlyMeans(db, hostId, ids, wholeHours(WINDOW_DAYS * HOURS, now));
  return statistics.map((statistic) => {
    const hourly = means.get(statistic.id) ?? new Float64Array();
    const usage = hourly.findLast((value) => !Number.isNaN(value)) ?? null;
    return { statistic, usage, result: forecast(hourly) };
  });
}

/** The forecasts of a host that the daily pass stores: those with a date. */
export function forecastsToStore(db: Db, hostId: number, now: number): StoredForecast[] {
  return predict(db, hostId, now).flatMap(({ statistic, usage, result }) => {
    if (typeof result === "string") return [];
    const at = (days: number) => Math.round(now + days * DAY);
    return {
      statisticId: statistic.id,
      hostId,
      calculatedAt: now,
      usage: usage ?? 0,
      growth: result.growth,
      fullAt: at(result.days),
      earliest: at(result.from),
      latest: result.to === null ? null : at(result.to),
    };
  });
}

/** Forecasts of when disks, inodes and memory will be full. */
export class Forecasts {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** Calculates the forecasts of a host or of one of its services. @throws ApiError 404 */
  get({ hostid, serviceid }: ForecastGetArguments, scope: Scope) {
    const host = found(findHost(this.db, hostid, scope), "host", hostid);
    const now = this.clock.now();
    const records = predict(this.db, hostid, now, serviceid).map(({ statistic, usage, result }) => {
      const { serviceid: id, servicename, type } = statistic;
      const isNone = typeof result === "string";
      return {
        serviceid: id,
        servicename,
        type,
        usage: usage === null ? null : rounded(usage),
        state: isNone ? result : "filling",
        days: isNone ? null : rounded(result.days),
        daysfrom: isNone ? null : rounded(result.from),
        daysto: isNone || result.to === null ? null : rounded(result.to),
        growth: isNone ? null : rounded(result.growth),
      };
    });
    return { hostid, hostname: host.hostname, records };
  }

  /** The forecasts of the last daily pass, soonest first. */
  list({ results: pageSize, startindex, days, ...filter }: ForecastListArguments, scope: Scope) {
    const now = this.clock.now();
    const until = days === undefined ? undefined : now + days * DAY;
    const selected = { ...filter, scope, calculatedAfter: now - FRESH_SECONDS, until };
    const daysUntil = (at: number) => rounded(Math.max(0, (at - now) / DAY));
    const records = listForecasts(this.db, selected, pageSize, startindex).map(
      ({ forecast: row, ...subject }) => ({
        hostid: row.hostId,
        ...subject,
        usage: rounded(row.usage),
        days: daysUntil(row.fullAt),
        daysfrom: daysUntil(row.earliest),
        daysto: row.latest === null ? null : daysUntil(row.latest),
        growth: rounded(row.growth),
        calculated: row.calculatedAt,
      }),
    );
    const totalRecords = countForecasts(this.db, selected);
    return pageOf(records, { pageSize, totalRecords, startIndex: startindex });
  }
}
