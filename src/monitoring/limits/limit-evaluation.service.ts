import type { Db } from "../../platform/storage/open.ts";
import type { HostRow, ServiceRow } from "../../platform/storage/schema.ts";
import type { EventLog } from "../events/event-log.service.ts";
import { HOST_STATUS, LIMIT_LEVEL, type LimitLevel, serviceLed } from "../health/health.ts";
import { findHost } from "../hosts/hosts.repository.ts";
import { EnabledLimits } from "./enabled-limits.ts";
import { type HostLimits, type LimitEntry, limitedValue, stateAfter, sumAfter } from "./host-limits.ts";
import type { Limit } from "./limit.ts";
import { LimitFailures } from "./limit-failures.ts";
import { awaitedAnew, withoutData } from "./limit-state.ts";
import { hostsDownWithServices, lastReportOf, setServiceLevel, statesOfLimit } from "./limits.repository.ts";
import { recountLaterMonths, saveDueSums } from "./stored-sums.ts";

/**
 * The most failures that one transaction opens, changes or ends by the values of a message, or because hosts are down.
 * There can be thousands, and each is an event with all its consequences.
 */
export const MAX_TURNS = 200;

/** A host of the host cache, with the fields that limits need. */
export interface EvaluatedHost {
  row: HostRow;
  /** By name. */
  services: Map<string, ServiceRow>;
  layoutId: number | null;
  /** Null if no limit applies to the host, undefined if that is not known yet. */
  limits: HostLimits | null | undefined;
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
  readonly #enabled: EnabledLimits;
  readonly #failures: LimitFailures;

  constructor(
    private readonly db: Db,
    events: EventLog,
  ) {
    this.#enabled = new EnabledLimits(db);
    this.#failures = new LimitFailures(db, events);
  }

  /** Call this after a change of a limit, and drop the host cache too. */
  forget(): void {
    this.#enabled.forget();
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
    if (host.limits === undefined) host.limits = this.#enabled.ofHost(row);
    if (host.limits === null) return;
    const limits = host.limits;
    const patience = row.skew * row.poll;
    const key = compilationKey(host);
    if (limits.compiledFor !== key) this.#enabled.compile(limits, row, host.layoutId, at);
    limits.compiledFor = key;
    recountLaterMonths(this.db, row.id, limits.monthly, at);
    limits.unfinished = { sample, at, ...this.#awaitedSince(row, limits, wasStopped, at), next: 0 };
    this.finish(host);
    this.received({ hostId: row.id, limits, patience }, sample, at);
  }

  /**
   * When a message was expected at the latest, and since when missing values are awaited. Time in which the host was
   * stopped, or Muster was not running, does not count.
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
   * Notes that a message was received. For a message that changes no limit, nothing else is needed.
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
    saveDueSums(this.db, hostId, limits.monthly, at);
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
      const comparison = { value: Number.isNaN(value) ? null : value, at, now: at, usage };
      turns += this.#failures.move(row.id, entry, after, comparison);
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
    if (this.#enabled.size === 0) return complete;
    const row = findHost(this.db, hostId, "all");
    const limits = row && this.#enabled.ofHost(row);
    if (!limits) return complete;
    if (maxTurns <= 0) return { turns: 0, isComplete: false };
    this.#enabled.compile(limits, row, null, at);
    let turns = this.#endObsolete(limits, maxTurns, now);
    let next = 0;
    for (; next < limits.entries.length && turns < maxTurns; next++) {
      const entry = limits.entries[next] as LimitEntry;
      if (!this.#lose(hostId, entry, at, now)) continue;
      turns++;
      this.#failures.refreshService({ hostId, nameId: entry.service.nameId });
    }
    this.#failures.refreshHost(hostId);
    return { turns, isComplete: limits.obsolete.length === 0 && next === limits.entries.length };
  }

  /**
   * The next hosts by id that are down and have so many services that `silent` may be incomplete for them.
   * @param after id of the previous one
   */
  manyLimitedHostsDown(after: number, limit: number): number[] {
    const limits = this.#enabled.size;
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
    for (const row of rows) this.#failures.end(limit, row, reason, now);
    const hostIds = rows.map(({ hostId }) => hostId);
    for (const hostId of new Set(hostIds)) this.#failures.refreshHost(hostId);
    return hostIds;
  }

  /** Ends those failures of a host whose limits no longer exist. */
  endOfDeleted(hostId: number, now: number): void {
    this.#failures.endOfDeleted(hostId, now);
  }

  /** Ends failures of limits that no longer apply to the host. @returns how many */
  #endObsolete(limits: HostLimits, maxFailures: number, now: number): number {
    const obsolete = limits.obsolete.splice(0, maxFailures);
    for (const { limit, row } of obsolete) this.#failures.end(limit, row, "the limit no longer applies", now);
    return obsolete.length;
  }

  /**
   * Records that the value of an entry is missing: since it was expected or, if that was later, since the limit last
   * changed, as the host may have been down for long.
   * @returns 1 if that is an event, otherwise 0
   */
  #lose(hostId: number, entry: LimitEntry, since: number, now: number): 0 | 1 {
    const { limit, state } = entry;
    const at = Math.min(now, Math.max(since, this.#enabled.changedAt(limit.id)));
    const comparison = { value: null, at, now, usage: null };
    return this.#failures.move(hostId, entry, withoutData(limit, state), comparison);
  }
}
