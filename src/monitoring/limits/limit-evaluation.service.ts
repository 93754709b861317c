import { ACTION_ALERT, ERROR, RESOURCE, SUCCESS } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { HostRow, LimitStateRow, ServiceRow, StoredCounter } from "../../platform/storage/schema.ts";
import type { EventLog } from "../events/event-log.service.ts";
import { predictedDays } from "../forecast/predicted-days.ts";
import { hostGroupIdsOf } from "../groups/groups.repository.ts";
import {
  HOST_STATUS,
  hostLed,
  hostStatusText,
  LIMIT_LEVEL,
  type LimitLevel,
  serviceLed,
  tally,
} from "../health/health.ts";
import { findHost, presentServices, updateHost } from "../hosts/hosts.repository.ts";
import { tagsOf } from "../tags/tags.repository.ts";
import { openIntervalsOfHost } from "../uptime/downtime.repository.ts";
import {
  compile,
  HostLimits,
  type LimitEntry,
  limitedValue,
  type MonthlyEntry,
  stateAfter,
  sumAfter,
  withPredicted,
} from "./host-limits.ts";
import { isAboutHost, isAboutService, type Limit } from "./limit.ts";
import { failureText, type MonthUsage, recoveryText } from "./limit-message.ts";
import { awaitedAnew, type LimitState, WITHIN_BOUNDS, withoutData } from "./limit-state.ts";
import { deleteSum, type LimitSumRow, saveSum, sumsOfHost } from "./limit-sums.repository.ts";
import {
  allLimits,
  changesOfLimits,
  deleteState,
  freeMicrosecond,
  hostsDownWithServices,
  type LimitChanges,
  lastReportOf,
  limitRows,
  positionsIn,
  saveState,
  serviceOfState,
  setServiceLevel,
  statesOfHost,
  statesOfLimit,
  statisticsForLimits,
  worstLevel,
} from "./limits.repository.ts";
import { catchUp } from "./month-history.ts";
import { isCounted, type MonthSum } from "./month-sum.ts";

/**
 * Most failures that one transaction opens, changes or ends by the values of a message, or because hosts are down.
 * There can be thousands, and each is an event with all its consequences.
 */
export const MAX_TURNS = 200;
/** Seconds after which the sum of a month is stored again. */
const STORED_SECONDS = 600;

/** A host of the host cache, with the fields that limits need. */
export interface EvaluatedHost {
  row: HostRow;
  /** By name. */
  services: Map<string, ServiceRow>;
  layoutId: number | null;
  /** Null if no limit applies to the host, undefined if that is not known yet. */
  limits: HostLimits | null | undefined;
}

/** The check of a limit. */
type LimitedCheck = Pick<LimitStateRow, "limitId" | "hostId" | "nameId" | "serviceType" | "errorAt">;

function stateOf(row: LimitStateRow): LimitState {
  const { level, warningSince, criticalSince, clearSince, easedSince, valueAt, missing, noData } = row;
  const times = { warningSince, criticalSince, clearSince, easedSince, valueAt };
  return { ...times, missing, noData, level: level as LimitState["level"] };
}

/** Since when the values are beyond a bound, unix seconds; infinite if they are not. */
function exceededSince({ openedAt, warningSince, criticalSince }: LimitStateRow): number {
  return openedAt || (warningSince ?? criticalSince ?? Number.POSITIVE_INFINITY);
}

function keyOf(limitId: number, nameId: number): string {
  return `${limitId} ${nameId}`;
}

/** Whether a row holds the sum of exactly these counters: the limit may have been about others. */
function isOfCounters({ counters }: LimitSumRow, statisticIds: readonly number[]): boolean {
  const stored = new Set(counters.map(([id]) => id));
  return stored.size === statisticIds.length && statisticIds.every((id) => stored.has(id));
}

/** The sum that a row holds, for these counters. */
function storedSum(
  { monthFrom, countedFrom, sum, at, counters }: LimitSumRow,
  statisticIds: readonly number[],
): MonthSum {
  const stored = new Map(counters.map(([id, value, time]) => [id, { value, time }]));
  return {
    from: monthFrom,
    countedFrom,
    sum,
    at,
    values: Float64Array.from(statisticIds, (id) => stored.get(id)?.value ?? Number.NaN),
    times: Float64Array.from(statisticIds, (id) => stored.get(id)?.time ?? 0),
  };
}

/** Equal keys have equal compilations. */
function compilationKey({ row, services, layoutId }: EvaluatedHost): string {
  let key = `${layoutId} ${row.cpuCount}`;
  for (const { id, type, monitorState } of services.values()) if (monitorState !== 0) key += ` ${id}:${type}`;
  return key;
}

/**
 * Compares the values of messages with the limits. Call its methods within the transaction of their cause: state,
 * event and failure are stored with it.
 */
export class LimitEvaluation {
  /** The enabled limits; null if they must be read. */
  #limits: readonly Limit[] | null = null;
  /** When they were last changed, by their ids; long ago, if there is none. */
  #changes: ReadonlyMap<number, LimitChanges> = new Map();

  constructor(
    private readonly db: Db,
    private readonly events: EventLog,
  ) {}

  /** Call this after a change of a limit, and drop the host cache too. */
  forget(): void {
    this.#limits = null;
  }

  #enabled(): readonly Limit[] {
    if (this.#limits === null) {
      this.#limits = allLimits(this.db).filter(({ enabled }) => enabled);
      this.#changes = changesOfLimits(this.db);
    }
    return this.#limits;
  }

  /**
   * Evaluates the values of a message, after its services and its sample were stored. It stops after `MAX_TURNS`
   * failures: then `isUnfinished` is true, and `finish` continues in a later transaction. If nothing calls it, the
   * next message is evaluated from the beginning.
   * @param wasStopped whether the host was stopped before this message, so that its values were not missing
   * @param at when the message was received, unix seconds
   */
  evaluate(host: EvaluatedHost, sample: Float64Array, wasStopped: boolean, at: number): void {
    const { row } = host;
    if (row.status === HOST_STATUS.ignored) return;
    if (host.limits === undefined) host.limits = this.#limitsOf(row);
    if (host.limits === null) return;
    const limits = host.limits;
    const patience = row.skew * row.poll;
    const key = compilationKey(host);
    if (limits.compiledFor !== key) this.#compile(limits, host, at);
    limits.compiledFor = key;
    limits.unfinished = { sample, at, ...this.#awaitedSince(row, limits, wasStopped, at), next: 0 };
    this.finish(host);
    this.received({ hostId: row.id, limits, patience }, sample, at);
  }

  /**
   * When a message was expected at the latest, and since when values that it lacks are awaited: not while the host was
   * stopped, or Muster was not running.
   */
  #awaitedSince({ id, skew, poll }: HostRow, limits: HostLimits, wasStopped: boolean, at: number) {
    if (wasStopped) return { deadline: at, lastAt: at, isResumed: true };
    const patience = skew * poll;
    const { lastAt } = limits;
    if (at <= limits.deadline && at - lastAt <= patience) return { deadline: at, lastAt, isResumed: false };
    // Deadlines restart after Muster was not running, which the host cache does not know.
    const { deadline } = lastReportOf(this.db, id);
    const resumedAt = deadline - patience;
    return { deadline, lastAt: Math.max(lastAt, resumedAt), isResumed: resumedAt > lastAt };
  }

  /**
   * Notes that a message was received. Of one that changes no limit, it is all there is to do.
   * @param host its patience is in seconds
   * @param at when it was received, unix seconds
   */
  received(
    { hostId, limits, patience }: Pick<EvaluatedHost, "limits"> & { hostId: number; patience: number },
    sample: Float64Array,
    at: number,
  ): void {
    if (!limits) return;
    limits.received(sample, at, patience);
    for (const entry of limits.monthly) {
      const { sum, storedAt } = entry.month;
      if (isCounted(sum) && (sum.at - storedAt >= STORED_SECONDS || storedAt < sum.from))
        this.#saveSum(hostId, entry);
    }
  }

  #saveSum(hostId: number, { limit, service: { nameId }, month }: MonthlyEntry): void {
    const { sum, statisticIds } = month;
    const counters = statisticIds.map((id, i): StoredCounter => {
      const [value, at] = [sum.values[i] ?? Number.NaN, sum.times[i] ?? 0];
      return Number.isNaN(value) ? [id, null, 0] : [id, value, at];
    });
    const { from: monthFrom, countedFrom, at } = sum;
    const key = { limitId: limit.id, hostId, nameId };
    saveSum(this.db, { ...key, monthFrom, countedFrom, sum: sum.sum, at, counters });
    month.storedAt = at;
  }

  /** Whether some limits are still to be compared with the host's last message. */
  isUnfinished({ limits }: Pick<EvaluatedHost, "limits">): boolean {
    return limits != null && limits.unfinished !== null;
  }

  /** Evaluates more of the host's last message. The caller stores the resulting state of the host. */
  finish(host: EvaluatedHost): void {
    const { row, limits } = host;
    if (limits == null || limits.unfinished === null) return;
    const { sample, at, deadline, lastAt, isResumed } = limits.unfinished;
    const patience = row.skew * row.poll;
    const changedIds = new Set<number>();
    let turns = this.#endObsolete(limits, MAX_TURNS, at);
    let { next } = limits.unfinished;
    for (; next < limits.entries.length && turns < MAX_TURNS; next++) {
      const entry = limits.entries[next] as LimitEntry;
      const before = turns;
      if (at > deadline) turns += this.#lose(row.id, entry, deadline, at);
      const value = limitedValue(entry, sample, at);
      // No value of a stopped host counts as missing.
      const isKept = row.stopped && Number.isNaN(value);
      const state = row.stopped || isResumed ? awaitedAnew(entry.state) : entry.state;
      const after = isKept ? state : stateAfter({ limit: entry.limit, state }, value, at, lastAt, patience);
      const { month } = entry;
      const usage =
        month && after !== entry.state ? { sum: sumAfter(month, sample, at), months: month.months } : null;
      turns += this.#move(row.id, entry, after, Number.isNaN(value) ? null : value, at, at, usage);
      if (turns > before) changedIds.add(entry.service.serviceId);
    }
    const isComplete = limits.obsolete.length === 0 && next === limits.entries.length;
    limits.unfinished = isComplete ? null : { ...limits.unfinished, next };
    this.#readLevels(host, changedIds);
  }

  /**
   * Updates the limit levels of the cached services.
   * @param changedIds ids of the services whose failures opened, changed or ended, which are stored
   */
  #readLevels({ services, limits }: EvaluatedHost, changedIds: ReadonlySet<number>): void {
    const levels = new Map<number, LimitLevel>();
    const raise = (nameId: number, level: LimitLevel) => {
      if (level > (levels.get(nameId) ?? LIMIT_LEVEL.none)) levels.set(nameId, level);
    };
    for (const { service, state } of limits?.entries ?? []) raise(service.nameId, state.level);
    for (const { row } of limits?.obsolete ?? []) raise(row.nameId, row.level as LimitLevel);
    for (const service of services.values()) {
      const limitLevel = levels.get(service.nameId) ?? LIMIT_LEVEL.none;
      if (service.limitLevel !== limitLevel) {
        service.limitLevel = limitLevel;
        service.led = serviceLed(service);
      }
      // The end of a failure whose limit no longer applies may have stored another level than the cached one.
      if (changedIds.has(service.id)) setServiceLevel(this.db, service.id, limitLevel, service.led);
    }
  }

  /**
   * Evaluates a host that stopped reporting, so that its values are missing. Call it again, in a later transaction,
   * until it is complete: it does nothing twice.
   * @param at when they began to be missing
   * @param now unix seconds
   * @param maxTurns how many failures may open, change or end
   */
  silent(hostId: number, at: number, now: number, maxTurns: number): { turns: number; isComplete: boolean } {
    const complete = { turns: 0, isComplete: true };
    if (this.#enabled().length === 0) return complete;
    const row = findHost(this.db, hostId, "all");
    const limits = row && this.#limitsOf(row);
    if (!limits) return complete;
    if (maxTurns <= 0) return { turns: 0, isComplete: false };
    this.#compile(limits, { row, layoutId: null }, at);
    let turns = this.#endObsolete(limits, maxTurns, now);
    let next = 0;
    for (; next < limits.entries.length && turns < maxTurns; next++) {
      const entry = limits.entries[next] as LimitEntry;
      if (!this.#lose(hostId, entry, at, now)) continue;
      turns++;
      this.#refreshService({ hostId, nameId: entry.service.nameId });
    }
    this.#refreshHost(hostId);
    return { turns, isComplete: limits.obsolete.length === 0 && next === limits.entries.length };
  }

  /**
   * The next hosts by id that are down and have so many services that `silent` may be incomplete for them.
   * @param after id of the previous one
   */
  manyLimitedHostsDown(after: number, limit: number): number[] {
    const limits = this.#enabled().length;
    return limits === 0 ? [] : hostsDownWithServices(this.db, Math.ceil(MAX_TURNS / limits), after, limit);
  }

  /**
   * Ends some failures of a deleted or disabled limit.
   * @param maxFailures how many at most
   * @param now unix seconds
   * @returns their hosts, once for each failure
   */
  endSome(limit: Limit, reason: string, maxFailures: number, now: number): number[] {
    const rows = statesOfLimit(this.db, limit.id, maxFailures);
    for (const row of rows) this.#end(limit, row, reason, now);
    const hostIds = rows.map(({ hostId }) => hostId);
    for (const hostId of new Set(hostIds)) this.#refreshHost(hostId);
    return hostIds;
  }

  /** Ends failures of a host of limits that no longer exist. */
  endOfDeleted(hostId: number, now: number): void {
    const openFailures = openIntervalsOfHost(this.db, hostId).filter(
      ({ limitId }) => limitId !== 0 && !limitRows.find(this.db, limitId),
    );
    for (const check of openFailures) {
      const serviceType = serviceOfState(this.db, check)?.type ?? 0;
      this.#record(
        { ...check, serviceType, errorAt: 0 },
        LIMIT_LEVEL.none,
        "The limit was deleted",
        now,
        now,
      );
      this.#refreshService(check);
    }
    if (openFailures.length > 0) this.#refreshHost(hostId);
  }

  /** The limits of a host as of its last message; null if none applies to it. */
  #limitsOf(row: HostRow): HostLimits | null {
    if (this.#enabled().length === 0) return null;
    if (this.#about(row).length === 0 && statesOfHost(this.db, row.id).length === 0) return null;
    const { at, deadline } = lastReportOf(this.db, row.id);
    return new HostLimits(at, deadline);
  }

  #about({ id: hostId, hostname }: HostRow): Limit[] {
    const [hostGroupIds, tags] = [hostGroupIdsOf(this.db, hostId), tagsOf(this.db, hostId)];
    const host = { hostId, hostname, hostGroupIds, tags };
    return this.#enabled().filter((limit) => isAboutHost(limit, host));
  }

  /** Compiles the limits for the host's present layout and services. @param at when its last message was received */
  #compile(limits: HostLimits, host: Pick<EvaluatedHost, "row" | "layoutId">, at: number): void {
    const { row, layoutId } = host;
    const statistics = withPredicted(statisticsForLimits(this.db, row.id));
    const days = predictedDays(this.db, row.id);
    const positions = layoutId === null ? new Map<number, number>() : positionsIn(this.db, layoutId);
    const all = statesOfHost(this.db, row.id);
    const isOfOther = (state: LimitStateRow) =>
      exceededSince(state) < (this.#changes.get(state.limitId)?.remeasuredAt ?? 0);
    const states = new Map(
      all.filter((state) => !isOfOther(state)).map((state) => [keyOf(state.limitId, state.nameId), state]),
    );
    limits.entries = this.#about(row).flatMap((limit) =>
      compile(limit, statistics, positions, row.cpuCount, days)
        .filter(({ service: { serviceName: name, serviceType: type } }) =>
          isAboutService(limit, { name, type }),
        )
        .map((entry) => {
          const key = keyOf(limit.id, entry.service.nameId);
          const state = states.get(key);
          states.delete(key);
          const stored = state && { state: stateOf(state), openedAt: state.openedAt, errorAt: state.errorAt };
          return { ...entry, ...(stored ?? { state: WITHIN_BOUNDS, openedAt: 0, errorAt: 0 }) };
        }),
    );
    if (layoutId !== null) this.#readSums(row.id, limits, at);
    const enabled = new Map(this.#enabled().map((limit) => [limit.id, limit]));
    limits.obsolete = [...all.filter(isOfOther), ...states.values()].flatMap((row) => {
      const limit = enabled.get(row.limitId);
      return limit ? [{ limit, row }] : [];
    });
  }

  /** Reads the sums of the month, and what was reported since they were stored. Those of other limits are deleted. */
  #readSums(hostId: number, { monthly }: HostLimits, now: number): void {
    const stored = new Map(sumsOfHost(this.db, hostId).map((row) => [keyOf(row.limitId, row.nameId), row]));
    for (const { limit, service, month } of monthly) {
      const key = keyOf(limit.id, service.nameId);
      const row = stored.get(key);
      stored.delete(key);
      // A sum that another time zone began, or of other counters, is counted anew.
      if (row === undefined || row.monthFrom !== month.months.holding(row.at).from) continue;
      if (!isOfCounters(row, month.statisticIds)) continue;
      month.sum = storedSum(row, month.statisticIds);
      month.storedAt = row.at;
    }
    catchUp(
      this.db,
      hostId,
      monthly.map(({ month }) => month),
      now,
    );
    for (const row of stored.values()) deleteSum(this.db, row);
  }

  /** Ends failures of limits that no longer apply to the host. @returns how many */
  #endObsolete(limits: HostLimits, maxFailures: number, now: number): number {
    const obsolete = limits.obsolete.splice(0, maxFailures);
    for (const { limit, row } of obsolete) this.#end(limit, row, "the limit no longer applies", now);
    return obsolete.length;
  }

  /**
   * The value of an entry is missing: since it should have been there, but not before the limit was made as it is now. The
   * host may have been down for long.
   * @returns as `#move`
   */
  #lose(hostId: number, entry: LimitEntry, since: number, now: number): 0 | 1 {
    const { limit, state } = entry;
    const at = Math.min(now, Math.max(since, this.#changes.get(limit.id)?.at ?? 0));
    return this.#move(hostId, entry, withoutData(limit, state), null, at, now);
  }

  /**
   * Stores the new state of an entry, and an event if its failure opens, changes or ends.
   * @returns 1 if there was such an event, otherwise 0: the caller then stores the level of the service
   */
  #move(
    hostId: number,
    entry: LimitEntry,
    after: LimitState,
    value: number | null,
    at: number,
    now: number,
    usage: MonthUsage | null = null,
  ): 0 | 1 {
    const { limit, service, state: before } = entry;
    if (after === before) return 0;
    entry.state = after;
    const isTurn = after.level !== before.level || after.noData !== before.noData;
    const isFailing = after.level !== LIMIT_LEVEL.none;
    const { nameId, serviceType } = service;
    const key = { limitId: limit.id, hostId, nameId, serviceType };
    if (isTurn) {
      const date = Math.max(at, entry.errorAt);
      const text = isFailing
        ? failureText(limit, after.level, value, usage)
        : recoveryText(limit, value, usage);
      this.#record({ ...key, errorAt: entry.errorAt }, after.level, text, date, now);
      entry.errorAt = isFailing ? date : 0;
      entry.openedAt = isFailing ? entry.openedAt || date : 0;
    }
    if (after === WITHIN_BOUNDS) deleteState(this.db, key);
    else saveState(this.db, { ...key, ...after, openedAt: entry.openedAt, errorAt: entry.errorAt });
    return isTurn ? 1 : 0;
  }

  /** Ends the failure of a stored state, and deletes the state. */
  #end(limit: Limit, row: LimitStateRow, reason: string, now: number): void {
    deleteState(this.db, row);
    if (row.level === LIMIT_LEVEL.none) return;
    const date = Math.max(now, row.errorAt);
    this.#record(row, LIMIT_LEVEL.none, `${limit.name}: ${reason}`, date, now);
    this.#refreshService(row);
  }

  /** Records an event of a limit: an error with a level, or with level none the end of its failure. */
  #record(limited: LimitedCheck, level: number, message: string, date: number, now: number): void {
    const { limitId, hostId, nameId, serviceType } = limited;
    const state = level === LIMIT_LEVEL.none ? SUCCESS : ERROR;
    const check = { hostId, nameId, eventType: RESOURCE, limitId };
    const event = { ...check, serviceType, severity: level, state, action: ACTION_ALERT, message, date };
    // Microseconds keep the events of one second in order and distinct.
    const collectedUsec = freeMicrosecond(this.db, check, date);
    this.events.record({ ...event, collectedSec: date, collectedUsec }, 0, now);
  }

  /** Stores the highest level of the limits that a service exceeds, and its LED. */
  #refreshService(of: Pick<LimitStateRow, "hostId" | "nameId">): void {
    const service = serviceOfState(this.db, of);
    const limitLevel = worstLevel(this.db, of);
    if (service && service.limitLevel !== limitLevel)
      setServiceLevel(this.db, service.id, limitLevel, serviceLed({ ...service, limitLevel }));
  }

  /** Derives the LED and the counts of a host from its services, outside a message. */
  #refreshHost(hostId: number): void {
    const row = findHost(this.db, hostId, "all");
    if (!row) return;
    const services = tally(presentServices(this.db, hostId).map(({ service }) => service.led));
    updateHost(this.db, hostId, {
      servicesOk: services.ok,
      led: hostLed(row, services),
      statusText: hostStatusText(row, services),
    });
  }
}
