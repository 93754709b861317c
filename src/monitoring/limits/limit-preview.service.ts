import { type Clock, DAY, MINUTE } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { forecastsOf } from "../forecast/forecast.repository.ts";
import { predictedDays } from "../forecast/predicted-days.ts";
import { LIMIT_LEVEL } from "../health/health.ts";
import { FIVE_MINUTES, HOURLY, startOf } from "../history/resolutions.ts";
import { added, compile, limitedValue, withPredicted } from "./host-limits.ts";
import { isAboutHost, isAboutStatistic, type Limit } from "./limit.ts";
import { exceeds, firstBound, isBeyond } from "./limit-state.ts";
import { hostsForLimits, statisticsForLimits } from "./limits.repository.ts";
import { type Hour, PastValues } from "./past-values.ts";
import { type SimulatedFailure, SimulatedLimit } from "./simulated-limit.ts";

/** Seconds without a period of five minutes after which a host counts as silent. */
const PERIOD_PATIENCE = 7200;
/** The most failures that are returned; older ones are only counted. */
const MAX_RECORDS = 500;
/** The most hosts that are examined. */
const MAX_HOSTS = 2000;
/**
 * Milliseconds after which hours before the last day are judged only by their extremes, and after which no further
 * hosts are examined. With 200 hosts, the first limit leaves enough time to examine the rest within two seconds.
 */
const CLOSE_BUDGET_MS = 1200;
const TOTAL_BUDGET_MS = 5000;

type ExaminedHost = ReturnType<typeof hostsForLimits>[number];

interface PlacedFailure extends SimulatedFailure {
  hostid: number;
  hostname: string;
  servicename: string;
}

/** The class of a value in a limit: the limit cannot tell values of the same class apart. */
function classOf(limit: Limit, value: number): number {
  if (Number.isNaN(value)) return -1;
  const bounds = [limit.warning, limit.critical, limit.clearvalue ?? firstBound(limit)];
  // A value beyond one of the bounds is beyond all previous ones, so their number is enough.
  return bounds.filter((bound) => isBeyond(limit, value, bound)).length;
}

/** What the extremes of an hour tell about the limits on its values. */
function knownByExtremes(limit: Limit, entries: readonly SimulatedLimit[]) {
  // Extremes bound a sum only if every message has all its parts.
  const isBounded = ({ counts }: Hour) =>
    entries.every(({ entry: { sums } }) =>
      sums.every((positions) => positions.every((p) => Object.is(counts[p], counts[positions[0] ?? 0]))),
    );
  return {
    /** A limit that is not exceeded stays so during an hour without a value beyond its bounds. */
    isWithinBounds: (hour: Hour) =>
      limit.missing !== "warn" &&
      entries.every((entry) => entry.isWithinBounds) &&
      isBounded(hour) &&
      entries.every(({ entry }) =>
        [hour.low, hour.high].every((values) => !exceeds(limit, limitedValue(entry, values, hour.at))),
      ),
    /** Whether the limits cannot tell the values of the hour apart. */
    isUniform: (hour: Hour) =>
      isBounded(hour) &&
      entries.every(
        ({ entry }) =>
          classOf(limit, limitedValue(entry, hour.low, hour.at)) ===
          classOf(limit, limitedValue(entry, hour.high, hour.at)),
      ),
  };
}

/** Computes when a limit would have been exceeded in the past, with the same states as messages. */
export class LimitPreview {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** Computes the failures of a limit. @param limit need not be stored @param days how far to look back */
  of(limit: Limit, days: number) {
    const to = this.clock.now() + 1;
    const from = to - days * DAY;
    const exactFrom = Math.max(from, to - DAY);
    const hosts = hostsForLimits(this.db).filter((host) => isAboutHost(limit, host));
    const startedAt = this.monotonic();
    const placed: PlacedFailure[] = [];
    let [services, examined] = [0, 0];
    for (const host of hosts.slice(0, MAX_HOSTS)) {
      const elapsed = this.monotonic() - startedAt;
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
        placed.push(...failures.map((failure) => ({ ...failure, ...place })));
      }
    }
    return replyOf(placed, {
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
    const statistics = withPredicted(statisticsForLimits(this.db, host.hostId)).filter((statistic) =>
      isAboutStatistic(limit, statistic),
    );
    if (statistics.length === 0) return [];
    const ids = statistics.map(({ id }) => id);
    const positions = new Map(ids.map((id, position) => [id, position]));
    const days = predictedDays(this.db, host.hostId);
    const entries = compile(limit, statistics, positions, host.cpuCount, days).map(
      (entry) => new SimulatedLimit(entry),
    );
    if (entries.some(({ entry }) => entry.predicted !== undefined))
      return this.#predicted(host, entries, { from, to });
    const past = new PastValues(this.db, host.hostId, ids);
    if (limit.period === "month") return this.#monthly(past, host, entries, { from, exactFrom, to });
    return this.#measured(past, { limit, host }, entries, { from, exactFrom, to }, isClose);
  }

  /**
   * Judges five-minute periods before the last day, and the messages of that day.
   * @param isClose whether to read the messages of an hour before it whose extremes do not tell enough
   */
  #measured(
    past: PastValues,
    { limit, host: { skew, poll } }: { limit: Limit; host: ExaminedHost },
    entries: SimulatedLimit[],
    { from, exactFrom, to }: { from: number; exactFrom: number; to: number },
    isClose: boolean,
  ): SimulatedLimit[] {
    const patience = skew * poll;
    const { isWithinBounds, isUniform } = knownByExtremes(limit, entries);
    if (from < exactFrom) {
      // A duration shorter than a period can pass within one, so the worse extreme counts. A longer one needs whole
      // periods, so the better extreme counts.
      const isHigh = limit.minutes * MINUTE < FIVE_MINUTES.seconds !== (limit.direction === "below");
      const detail = (hour: Hour) => {
        if (isWithinBounds(hour)) return "nothing";
        return isClose && !isUniform(hour) ? "values" : "extremes";
      };
      for (const { at, low, high } of past.periods({ from, to: exactFrom }, detail))
        for (const simulated of entries)
          simulated.message(
            limitedValue(simulated.entry, isHigh ? high : low, at),
            at,
            Math.max(patience, PERIOD_PATIENCE),
          );
    }
    const detail = (hour: Hour) => (isWithinBounds(hour) ? "nothing" : "values");
    for (const { at, low } of past.messages({ from: exactFrom, to }, detail))
      for (const simulated of entries)
        simulated.message(limitedValue(simulated.entry, low, at), at, patience);
    for (const simulated of entries) simulated.silence(to - 1, patience);
    return entries;
  }

  /**
   * The sum of a month needs all of it, from the hour before on: hours until the window begins, then five minutes, and
   * the messages of the last day. Counters only grow, so the greatest value of a period is that of its end.
   */
  #monthly(
    past: PastValues,
    { skew, poll }: ExaminedHost,
    entries: SimulatedLimit[],
    { from, exactFrom, to }: { from: number; exactFrom: number; to: number },
  ): SimulatedLimit[] {
    const patience = skew * poll;
    const take = (values: Float64Array, at: number, silence: number) => {
      for (const simulated of entries) {
        const { month } = simulated.entry;
        const value = month ? added(month, values, at) : Number.NaN;
        if (at >= from) simulated.message(value, at, silence);
      }
    };
    const [months] = entries.flatMap(({ entry }) => entry.month?.months ?? []);
    const begin = startOf(months?.holding(from).from ?? from, HOURLY.seconds) - HOURLY.seconds;
    const messagesFrom = startOf(exactFrom, HOURLY.seconds);
    const detail = (hour: Hour) =>
      hour.at < from - HOURLY.seconds && !months?.beginsWithin(hour.at, from) ? "extremes" : "values";
    let isFirst = true;
    for (const { at, low, high } of past.periods({ from: begin, to: messagesFrom }, detail)) {
      if (isFirst) take(low, at, PERIOD_PATIENCE);
      isFirst = false;
      take(high, at + FIVE_MINUTES.seconds, Math.max(patience, PERIOD_PATIENCE));
    }
    for (const { at, low } of past.messages({ from: messagesFrom, to }, () => "values"))
      take(low, at, patience);
    for (const simulated of entries) simulated.silence(to - 1, patience);
    return entries;
  }

  /**
   * Shows what the limit would do with the last forecast, as only that is stored, and with its absence once it is
   * outdated.
   */
  #predicted(
    { hostId, skew, poll }: ExaminedHost,
    entries: SimulatedLimit[],
    { from, to }: { from: number; to: number },
  ): SimulatedLimit[] {
    const calculatedAt = forecastsOf(this.db, hostId)[0]?.calculatedAt ?? to - 1;
    const first = Math.max(calculatedAt, from);
    for (const simulated of entries) {
      const outdatedAt = simulated.entry.predicted?.outdatedAt ?? to;
      const last = Math.max(first, Math.min(outdatedAt, to) - 1);
      for (const at of [first, last])
        simulated.message(
          limitedValue(simulated.entry, new Float64Array(), at),
          at,
          Number.POSITIVE_INFINITY,
        );
      // A limit treats messages without the value like no messages.
      simulated.silence(to - 1, skew * poll);
    }
    return entries;
  }
}

function replyOf(
  failures: PlacedFailure[],
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
  const newestFirst = failures.sort((a, b) => b.from - a.from);
  return {
    total: failures.length,
    criticals: failures.filter(({ level }) => level === LIMIT_LEVEL.critical).length,
    longest: failures.reduce((longest, failure) => Math.max(longest, lengthOf(failure)), 0),
    affected: new Set(failures.map(({ hostid }) => hostid)).size,
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
