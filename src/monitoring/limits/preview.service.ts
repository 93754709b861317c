import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { forecastsOf } from "../forecast/forecast.repository.ts";
import { predictedDays } from "../forecast/predicted-days.ts";
import { FIVE_MINUTES } from "../history/resolutions.ts";
import { compile, limitedValue, withPredicted } from "./host-limits.ts";
import { isAboutHost, isAboutService, isAboutStatistic, type Limit } from "./limit.ts";
import { firstBound, passes } from "./limit-state.ts";
import { hostsForLimits, statisticsForLimits } from "./limits.repository.ts";
import { type Hour, PastValues } from "./past-values.ts";
import { type SimulatedFailure, SimulatedLimit } from "./simulated-limit.ts";

const MINUTE = 60;
const DAY = 86_400;
/** Seconds without a period of five minutes after which a host counts as silent then. */
const PERIOD_PATIENCE = 7200;
/** Most failures that are returned; older ones are only counted. */
const MAX_RECORDS = 500;
/** Most hosts that are examined. */
const MAX_HOSTS = 2000;
/**
 * Milliseconds after which hours before the last day are judged by their extremes alone, and after which no more
 * hosts are examined. Of 200 hosts, the first leaves enough to examine the rest within two seconds.
 */
const CLOSE_BUDGET_MS = 1200;
const TOTAL_BUDGET_MS = 5000;

type ExaminedHost = ReturnType<typeof hostsForLimits>[number];

interface Found extends SimulatedFailure {
  hostid: number;
  hostname: string;
  servicename: string;
}

/** What a value is to a limit: equal numbers mean that the limit does not tell the values apart. */
function classOf({ direction, warning, critical, clearvalue }: Limit, value: number): number {
  if (Number.isNaN(value)) return -1;
  const bounds = [warning, critical, clearvalue ?? firstBound({ warning, critical })];
  // A value beyond one of the bounds is beyond all those before it, so their number tells everything.
  return bounds.filter((bound) => bound !== null && (direction === "below" ? value < bound : value > bound))
    .length;
}

/** Tells when a limit would have warned in the past, with the same states that messages go through. */
export class LimitPreview {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** @param limit need not be stored @param days how far to look back */
  of(limit: Limit, days: number) {
    const to = this.clock.now() + 1;
    const from = to - days * DAY;
    const exactFrom = Math.max(from, to - DAY);
    const hosts = hostsForLimits(this.db).filter((host) => isAboutHost(limit, host));
    const begun = this.monotonic();
    const found: Found[] = [];
    let [services, examined] = [0, 0];
    for (const host of hosts.slice(0, MAX_HOSTS)) {
      const elapsed = this.monotonic() - begun;
      if (elapsed > TOTAL_BUDGET_MS) break;
      const simulated = this.#simulate(limit, host, { from, exactFrom, to }, elapsed < CLOSE_BUDGET_MS);
      examined++;
      services += simulated.length;
      for (const { entry, failures } of simulated) {
        const place = {
          hostid: host.hostId,
          hostname: host.hostname,
          servicename: entry.service.serviceName,
        };
        found.push(...failures.map((failure) => ({ ...failure, ...place })));
      }
    }
    return replyOf(found, {
      datefrom: from,
      dateto: to - 1,
      exactfrom: exactFrom,
      hosts: hosts.length,
      examined,
      services,
    });
  }

  #simulate(
    limit: Limit,
    host: ExaminedHost,
    { from, exactFrom, to }: { from: number; exactFrom: number; to: number },
    isClose: boolean,
  ): SimulatedLimit[] {
    const statistics = withPredicted(statisticsForLimits(this.db, host.hostId)).filter(
      (one) =>
        isAboutStatistic(limit, one) &&
        isAboutService(limit, { name: one.serviceName, type: one.serviceType }),
    );
    if (statistics.length === 0) return [];
    const ids = statistics.map(({ id }) => id);
    const positions = new Map(ids.map((id, position) => [id, position]));
    const days = predictedDays(this.db, host.hostId);
    const entries = compile(limit, statistics, positions, host.cpuCount, days).map(
      (entry) => new SimulatedLimit(entry),
    );
    if (entries.some(({ entry }) => entry.predicted !== undefined))
      return this.#predicted(host.hostId, entries, to);
    const past = new PastValues(this.db, host.hostId, ids);
    const patience = host.skew * host.poll;
    // Extremes bound a sum only if all its parts are in every message.
    const isBounded = ({ counts }: Hour) =>
      entries.every(({ entry: { sums } }) =>
        sums.every((positions) => positions.every((p) => Object.is(counts[p], counts[positions[0] ?? 0]))),
      );
    // A limit that is kept stays so in an hour in which no value passes it.
    const isKept = (hour: Hour) =>
      limit.missing !== "warn" &&
      entries.every((one) => one.isKept) &&
      isBounded(hour) &&
      entries.every(({ entry }) =>
        [hour.low, hour.high].every((values) => !passes(limit, limitedValue(entry, values))),
      );
    const isUniform = (hour: Hour) =>
      isBounded(hour) &&
      entries.every(({ entry }) => {
        const [low, high] = [limitedValue(entry, hour.low), limitedValue(entry, hour.high)];
        return classOf(limit, low) === classOf(limit, high);
      });
    if (from < exactFrom) {
      // What holds for a time shorter than a period may pass within it; for a longer one the whole period has to.
      const isHigh = limit.minutes * MINUTE < FIVE_MINUTES.seconds !== (limit.direction === "below");
      const detail = (hour: Hour) => {
        if (isKept(hour)) return "nothing";
        return isClose && !isUniform(hour) ? "values" : "extremes";
      };
      for (const { at, low, high } of past.periods({ from, to: exactFrom }, detail))
        for (const one of entries)
          one.message(limitedValue(one.entry, isHigh ? high : low), at, Math.max(patience, PERIOD_PATIENCE));
    }
    const detail = (hour: Hour) => (isKept(hour) ? "nothing" : "values");
    for (const { at, low } of past.messages({ from: exactFrom, to }, detail))
      for (const one of entries) one.message(limitedValue(one.entry, low), at, patience);
    for (const one of entries) one.silence(to - 1, patience);
    return entries;
  }

  /** Of forecasts only the last one is kept, so it tells what the limit would do now. */
  #predicted(hostId: number, entries: SimulatedLimit[], to: number): SimulatedLimit[] {
    const calculatedAt = forecastsOf(this.db, hostId)[0]?.calculatedAt ?? to - 1;
    for (const one of entries)
      for (const at of [calculatedAt, to - 1]) one.message(one.entry.predicted ?? Number.NaN, at, to);
    return entries;
  }
}

function replyOf(
  found: Found[],
  period: {
    datefrom: number;
    dateto: number;
    exactfrom: number;
    hosts: number;
    examined: number;
    services: number;
  },
) {
  const lengthOf = ({ from, to }: SimulatedFailure) => (to ?? period.dateto) - from;
  const newestFirst = found.sort((a, b) => b.from - a.from);
  return {
    total: found.length,
    criticals: found.filter(({ level }) => level === 2).length,
    longest: found.reduce((longest, one) => Math.max(longest, lengthOf(one)), 0),
    affected: new Set(found.map(({ hostid }) => hostid)).size,
    ...period,
    records: newestFirst.slice(0, MAX_RECORDS).map(({ from, to, level, ...place }) => ({
      ...place,
      date: from,
      ended: to ?? 0,
      severity: level,
      approximate: from < period.exactfrom,
    })),
  };
}
