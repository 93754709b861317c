/**
 * The limits of one host, compiled for the layout of its messages. A message that changes no limit costs about 10 ns
 * for each limit and service; test/bench/limits.ts measures it.
 */
import { highestSum } from "../../monit/cpu-usage.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import type { LimitStateRow } from "../../platform/storage/schema.ts";
import { DAYS_TYPES, NEVER, type PredictedDays } from "../forecast/predicted-days.ts";
import { isAboutStatistic, type Limit } from "./limit.ts";
import { exceeds, type LimitState, WITHIN_BOUNDS, withoutValue, withValue } from "./limit-state.ts";
import { emptySum, type MonthSum, Months, withCounters } from "./month-sum.ts";

/** Types of statistics that are predicted, so they are not in samples. */
const DAYS: ReadonlySet<number> = new Set(DAYS_TYPES.values());

/** What is compared with a limit, without the state of the comparison. */
export type CompiledLimit = Pick<
  LimitEntry,
  "limit" | "service" | "sums" | "highest" | "divisor" | "predicted" | "month"
>;

/** A numeric statistic of a service that its agent has listed, with what limits need to know about the service. */
export interface LimitedStatistic {
  id: number;
  serviceId: number;
  nameId: number;
  serviceName: string;
  serviceType: number;
  type: number;
  descriptor: string;
}

/** The service that an entry is about. */
type LimitedService = Pick<LimitedStatistic, "serviceId" | "nameId" | "serviceName" | "serviceType">;

/** One limit of one service. */
export interface LimitEntry {
  readonly limit: Limit;
  readonly service: LimitedService;
  /** Positions in the sample of the values to add, for each descriptor; empty if the layout has none. */
  readonly sums: readonly Uint16Array[];
  /** The highest sum of values. */
  readonly highest: number;
  /** The divisor of the value. */
  readonly divisor: number;
  /** A value that is not in samples: the days until the service is full. */
  readonly predicted?: PredictedDays | undefined;
  /** For a limit on a month's sum: its counters, and what they add up to. */
  readonly month?: MonthCounters | undefined;
  state: LimitState;
  /** When the open failure began, unix seconds; 0: none is open. */
  openedAt: number;
  /** Date of the newest error event, unix seconds; 0: none. */
  errorAt: number;
}

/** The counters of a service whose growth in a month is added. */
export interface MonthCounters {
  readonly months: Months;
  readonly statisticIds: readonly number[];
  /** The position of each counter in the sample; undefined if the layout does not have it. */
  readonly positions: readonly (number | undefined)[];
  sum: MonthSum;
  /** As of when the sum is stored, unix seconds; 0: it is not. */
  storedAt: number;
}

/**
 * Whether a sum is of a later month than a message, because the clock was set back since.
 * @param at when the message was received
 */
export function isOfLaterMonth({ months, sum }: MonthCounters, at: number): boolean {
  return months.holding(at).from < sum.from;
}

/** The sum after a message, without keeping it. */
export function sumAfter(
  { months, positions, sum }: MonthCounters,
  sample: Float64Array,
  at: number,
): MonthSum {
  const counterOf = (counter: number) => sample[positions[counter] ?? -1] ?? Number.NaN;
  return withCounters(sum, counterOf, at, months);
}

/** The sum of the month with a message; NaN if the message has none of the counters. */
function monthValue(month: MonthCounters, sample: Float64Array, at: number): number {
  const hasCounter = month.positions.some((position) => (sample[position ?? -1] ?? -1) >= 0);
  return hasCounter ? sumAfter(month, sample, at).sum : Number.NaN;
}

/** Adds a message to the sum of the month. @returns the sum; NaN if the message has none of the counters */
export function added(month: MonthCounters, sample: Float64Array, at: number): number {
  const value = monthValue(month, sample, at);
  month.sum = sumAfter(month, sample, at);
  return value;
}

/** The worst of several predictions. It is outdated as soon as one of them is. */
function worstOf(predictions: readonly PredictedDays[]): PredictedDays | undefined {
  if (predictions.length === 0) return undefined;
  return {
    days: Math.min(...predictions.map(({ days }) => days)),
    outdatedAt: Math.min(...predictions.map(({ outdatedAt }) => outdatedAt)),
  };
}

/**
 * Types of statistics whose negative values are compared: an exit status, and the days since a certificate expired. To
 * a limit, any other negative value is unknown, also a PID of -1, which is stored and exported as it is.
 */
const COMPARED_BELOW_ZERO: ReadonlySet<number> = new Set([
  STATISTIC.programStatus.code,
  STATISTIC.certificateDays.code,
]);

/** Decimals of sums and quotients: agents report fewer. */
const DECIMALS = 1e9;

/** A sum or quotient of decimals, which binary fractions can put just beyond a limit: 0.1 + 0.2 is 0.3. */
function asDecimal(value: number): number {
  const scaled = value * DECIMALS;
  return Math.abs(scaled) < Number.MAX_SAFE_INTEGER ? Math.round(scaled) / DECIMALS : value;
}

/**
 * The value that is compared with a limit: the worst, if there are several. NaN if the message has none.
 * @param at when the message was received
 */
export function limitedValue(
  { limit, sums, highest, divisor, predicted, month }: CompiledLimit,
  sample: Float64Array,
  at: number,
) {
  if (predicted !== undefined) return at < predicted.outdatedAt ? predicted.days : Number.NaN;
  if (month !== undefined) return monthValue(month, sample, at);
  let worst = Number.NaN;
  for (const positions of sums) {
    let sum = Number.NaN;
    for (let i = 0; i < positions.length; i++) {
      const value = sample[positions[i] as number] as number;
      const isKnown =
        value >= 0 || (value < 0 && limit.statistics.some((type) => COMPARED_BELOW_ZERO.has(type)));
      if (isKnown) sum = Number.isNaN(sum) ? value : sum + value;
    }
    if (Number.isNaN(sum)) continue;
    const total = Math.min(highest, sum);
    const value = positions.length === 1 && divisor === 1 ? total : asDecimal(total / divisor);
    if (Number.isNaN(worst) || (limit.direction === "below" ? value < worst : value > worst)) worst = value;
  }
  return worst;
}

/**
 * The state after a message.
 * @param value NaN if the message has none
 * @param lastAt when the previous message came
 */
export function stateAfter(
  { limit, state }: Pick<LimitEntry, "limit" | "state">,
  value: number,
  at: number,
  lastAt: number,
  patience: number,
): LimitState {
  return Number.isNaN(value)
    ? withoutValue(limit, state, at, lastAt, patience)
    : withValue(limit, state, value, at);
}

/**
 * What is compared with a limit, for each service that has values for it.
 * @param statistics of the services of a host
 * @param positionOf positions in the sample, by the ids of statistics
 */
export function compile(
  limit: Limit,
  statistics: readonly LimitedStatistic[],
  positionOf: ReadonlyMap<number, number>,
  cpuCount: number,
  predictedDays: (statisticId: number) => PredictedDays = () => NEVER,
): CompiledLimit[] {
  const limitedStatistics = statistics.filter((statistic) => isAboutStatistic(limit, statistic));
  // Without the number of processors, the load per processor is unknown.
  const isUnknown = limit.perprocessor && cpuCount === 0;
  return [...Map.groupBy(limitedStatistics, ({ serviceId }) => serviceId).values()].flatMap(
    (ofService): CompiledLimit[] => {
      const [service] = ofService;
      if (service === undefined || isUnknown) return [];
      const sums = [...Map.groupBy(ofService, ({ descriptor }) => descriptor).values()].map((parts) =>
        Uint16Array.from(parts.flatMap(({ id }) => positionOf.get(id) ?? [])),
      );
      if (limit.period === "month") {
        const statisticIds = ofService.map(({ id }) => id);
        const positions = statisticIds.map((id) => positionOf.get(id));
        const [months, sum] = [new Months(limit.timezone), emptySum(statisticIds.length)];
        return [
          {
            limit,
            service,
            sums: [],
            highest: Number.POSITIVE_INFINITY,
            divisor: 1,
            month: { months, statisticIds, positions, sum, storedAt: 0 },
          },
        ];
      }
      const predicted = ofService.filter(({ type }) => DAYS.has(type)).map(({ id }) => predictedDays(id));
      return [
        {
          limit,
          service,
          sums,
          highest: highestSum(limit.statistics),
          divisor: limit.perprocessor ? cpuCount : 1,
          predicted: worstOf(predicted),
        },
      ];
    },
  );
}

/** Adds statistics for the days until others of these are full, with ids of their own. */
export function withPredicted(statistics: readonly LimitedStatistic[]): LimitedStatistic[] {
  const predicted = statistics.flatMap((statistic) => {
    const type = DAYS_TYPES.get(statistic.type);
    return type === undefined ? [] : { ...statistic, type };
  });
  return [...statistics, ...predicted];
}

/** A message whose values were compared with only some of the limits. Times are unix seconds. */
export interface UnfinishedEvaluation {
  sample: Float64Array;
  at: number;
  /** Since when the values count as missing before this message. */
  deadline: number;
  /** When the previous message was received; later if the host was stopped since, or Muster was not running. */
  lastAt: number;
  /** Whether it was later. */
  isResumed: boolean;
  /** Index of the first entry that has not been compared yet. */
  next: number;
}

/** A stored state of a limit that no longer applies to the host. */
export interface LostState {
  limit: Limit;
  row: LimitStateRow;
}

/** An entry of a limit on a month's sum. */
export type MonthlyEntry = LimitEntry & { readonly month: MonthCounters };

function isMonthly(entry: LimitEntry): entry is MonthlyEntry {
  return entry.month !== undefined;
}

/**
 * The limits of a host with their states, kept in memory between its messages. It stores nothing: the
 * evaluation does.
 */
export class HostLimits {
  #entries: readonly LimitEntry[] = [];
  /** Those that add up a month. */
  #monthly: readonly MonthlyEntry[] = [];
  /** Failures still to be ended because their limits no longer apply. */
  obsolete: LostState[] = [];
  /** The remaining evaluation of the last message; null if it is complete. */
  unfinished: UnfinishedEvaluation | null = null;
  /** The layout and services for which the entries are compiled. */
  compiledFor = "";

  /**
   * @param lastAt when the last message was received, unix seconds
   * @param deadline the latest time at which the next message is expected
   */
  constructor(
    public lastAt: number,
    public deadline: number,
  ) {}

  get entries(): readonly LimitEntry[] {
    return this.#entries;
  }

  set entries(entries: readonly LimitEntry[]) {
    this.#entries = entries;
    this.#monthly = entries.filter(isMonthly);
  }

  get monthly(): readonly MonthlyEntry[] {
    return this.#monthly;
  }

  /** Notes that a message was received. */
  received(sample: Float64Array, at: number, patience: number): void {
    for (const { month } of this.monthly) month.sum = sumAfter(month, sample, at);
    this.lastAt = at;
    this.deadline = at + patience;
  }

  /** Whether these values change no limit. */
  isQuiet(sample: Float64Array, at: number, patience: number): boolean {
    if (this.unfinished !== null) return false;
    if (this.monthly.some(({ month }) => isOfLaterMonth(month, at))) return false;
    const isLate = at > this.deadline;
    for (const entry of this.entries) {
      const { limit, state } = entry;
      const value = limitedValue(entry, sample, at);
      if (state === WITHIN_BOUNDS && !Number.isNaN(value) && !(isLate && limit.missing === "warn")) {
        if (exceeds(limit, value)) return false;
      } else if (isLate || stateAfter(entry, value, at, this.lastAt, patience) !== state) return false;
    }
    return true;
  }
}
