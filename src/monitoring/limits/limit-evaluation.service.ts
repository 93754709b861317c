import { ACTION_ALERT, ERROR, RESOURCE, SUCCESS } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { HostRow, LimitStateRow, ServiceRow } from "../../platform/storage/schema.ts";
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
import { compile, type Entry, HostLimits, limitedValue, stateAfter, withPredicted } from "./host-limits.ts";
import { isAboutHost, isAboutService, type Limit } from "./limit.ts";
import { failureText, recoveryText } from "./limit-message.ts";
import { KEPT, type LimitState, withoutData } from "./limit-state.ts";
import {
  allLimits,
  deleteState,
  freeMicrosecond,
  lastReportOf,
  positionsIn,
  saveState,
  serviceOfState,
  setServiceLevel,
  statesOfHost,
  statesOfLimit,
  statisticsForLimits,
  worstLevel,
} from "./limits.repository.ts";

/**
 * Most failures that open, change or end in one transaction by the values of a message. Its first message can open
 * thousands: each is an event with all that follows from one.
 */
const MAX_TURNS = 200;

/** A host of the host cache, as far as limits ask. */
export interface EvaluatedHost {
  row: HostRow;
  /** By name. */
  services: Map<string, ServiceRow>;
  layoutId: number | null;
  /** Null if no limit is about the host, undefined if that is not known yet. */
  limits: HostLimits | null | undefined;
}

/** The check that a limit fails or passes again. */
type LimitedCheck = Pick<LimitStateRow, "limitId" | "hostId" | "nameId" | "serviceType" | "errorAt">;

function stateOf(row: LimitStateRow): LimitState {
  const { level, warningSince, criticalSince, clearSince, easedSince, valueAt, missing, noData } = row;
  const known = { warningSince, criticalSince, clearSince, easedSince, valueAt, missing, noData };
  return { ...known, level: level as LimitState["level"] };
}

function keyOf(limitId: number, nameId: number): string {
  return `${limitId} ${nameId}`;
}

/** Equal keys have equal compilations. */
function compilationKey({ row, services, layoutId }: EvaluatedHost): string {
  let key = `${layoutId} ${row.cpuCount}`;
  for (const { id, type, monitorState } of services.values()) if (monitorState !== 0) key += ` ${id}:${type}`;
  return key;
}

/**
 * Holds the values of messages to the limits. Call its methods within the transaction of their cause: state,
 * event and failure are stored with it.
 */
export class LimitEvaluation {
  /** The enabled limits; null if they have to be read. */
  #limits: readonly Limit[] | null = null;

  constructor(
    private readonly db: Db,
    private readonly events: EventLog,
  ) {}

  /** Call this after a change of a limit, with the host cache dropped too. */
  forget(): void {
    this.#limits = null;
  }

  #enabled(): readonly Limit[] {
    this.#limits ??= allLimits(this.db).filter(({ enabled }) => enabled);
    return this.#limits;
  }

  /**
   * Evaluates the values of a message, after its services and its sample were stored. After 200 failures it stops:
   * `isUnfinished` tells, and `finish` continues in a later transaction. If that never comes, the next message is
   * evaluated from the beginning.
   * @param wasStopped whether the host was stopped before this message: its values were not missing meanwhile
   * @param at when the message was received, unix seconds
   */
  evaluate(host: EvaluatedHost, sample: Float64Array, wasStopped: boolean, at: number): void {
    const { row } = host;
    if (row.status === HOST_STATUS.ignored) return;
    if (host.limits === undefined) host.limits = this.#limitsOf(row);
    if (host.limits === null) return;
    const own = host.limits;
    const patience = row.skew * row.poll;
    const key = compilationKey(host);
    if (own.compiledFor !== key) this.#compile(own, host, at);
    own.compiledFor = key;
    // Deadlines restart after an absence of Muster, of which the host cache does not know.
    const deadline = at > own.deadline && !wasStopped ? lastReportOf(this.db, row.id).deadline : at;
    own.unfinished = { sample, at, deadline, lastAt: own.lastAt, next: 0 };
    this.finish(host);
    own.received(at, patience);
  }

  /** Whether the values of the host's last message are yet to be held to some of its limits. */
  isUnfinished({ limits }: Pick<EvaluatedHost, "limits">): boolean {
    return limits != null && limits.unfinished !== null;
  }

  /** Evaluates more of the host's last message. The caller stores what follows for the host itself. */
  finish(host: EvaluatedHost): void {
    const { row, limits } = host;
    if (limits == null || limits.unfinished === null) return;
    const { sample, at, deadline, lastAt } = limits.unfinished;
    const patience = row.skew * row.poll;
    const turned = new Set<number>();
    let turns = 0;
    let { next } = limits.unfinished;
    for (; next < limits.entries.length && turns < MAX_TURNS; next++) {
      const entry = limits.entries[next] as Entry;
      const before = turns;
      if (at > deadline)
        turns += this.#move(row.id, entry, withoutData(entry.limit, entry.state), null, deadline, at);
      const value = limitedValue(entry, sample);
      const after = stateAfter(entry, value, at, lastAt, patience);
      turns += this.#move(row.id, entry, after, Number.isNaN(value) ? null : value, at, at);
      if (turns > before) turned.add(entry.service.serviceId);
    }
    limits.unfinished = next < limits.entries.length ? { ...limits.unfinished, next } : null;
    this.#readLevels(host, turned);
  }

  /**
   * Brings the cached services up to date with the limits that they pass now.
   * @param turned ids of the services whose failures opened, changed or ended, which are stored
   */
  #readLevels({ services, limits }: EvaluatedHost, turned: ReadonlySet<number>): void {
    const levels = new Map<number, LimitLevel>();
    for (const { service, state } of limits?.entries ?? [])
      if (state.level > (levels.get(service.serviceId) ?? LIMIT_LEVEL.none))
        levels.set(service.serviceId, state.level);
    for (const service of services.values()) {
      const limitLevel = levels.get(service.id) ?? LIMIT_LEVEL.none;
      if (service.limitLevel === limitLevel) continue;
      service.limitLevel = limitLevel;
      service.led = serviceLed(service);
      if (turned.has(service.id)) setServiceLevel(this.db, service.id, limitLevel, service.led);
    }
  }

  /** A host stopped reporting, so its values are missing. @param at since when that counts @param now unix seconds */
  silent(hostId: number, at: number, now: number): void {
    if (this.#enabled().length === 0) return;
    const row = findHost(this.db, hostId, "all");
    const own = row && this.#limitsOf(row);
    if (!own) return;
    this.#compile(own, { row, layoutId: null }, now);
    for (const entry of own.entries) {
      const turns = this.#move(hostId, entry, withoutData(entry.limit, entry.state), null, at, now);
      if (turns > 0) this.#refreshService({ hostId, nameId: entry.service.nameId });
    }
    this.#refreshHost(hostId);
  }

  /**
   * Ends some failures of a limit that is deleted or disabled.
   * @param most how many at most @param now unix seconds @returns their hosts, once for each failure
   */
  endSome(limit: Limit, reason: string, most: number, now: number): number[] {
    const rows = statesOfLimit(this.db, limit.id, most);
    for (const row of rows) this.#end(limit, row, reason, now);
    const hostIds = rows.map(({ hostId }) => hostId);
    for (const hostId of new Set(hostIds)) this.#refreshHost(hostId);
    return hostIds;
  }

  /** The limits of a host as of its last message; null if none is about it. */
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

  /** Compiles the limits for the host's present layout and services, and ends failures that nothing is about now. */
  #compile(own: HostLimits, host: Pick<EvaluatedHost, "row" | "layoutId">, now: number): void {
    const { row, layoutId } = host;
    const statistics = withPredicted(statisticsForLimits(this.db, row.id));
    const days = predictedDays(this.db, row.id);
    const positions = layoutId === null ? new Map<number, number>() : positionsIn(this.db, layoutId);
    const states = new Map(
      statesOfHost(this.db, row.id).map((state) => [keyOf(state.limitId, state.nameId), state]),
    );
    own.entries = this.#about(row).flatMap((limit) =>
      compile(limit, statistics, positions, row.cpuCount, days)
        .filter(({ service: { serviceName: name, serviceType: type } }) =>
          isAboutService(limit, { name, type }),
        )
        .map((entry) => {
          const key = keyOf(limit.id, entry.service.nameId);
          const state = states.get(key);
          states.delete(key);
          const known = state && { state: stateOf(state), openedAt: state.openedAt, errorAt: state.errorAt };
          return { ...entry, ...(known ?? { state: KEPT, openedAt: 0, errorAt: 0 }) };
        }),
    );
    const limits = new Map(this.#enabled().map((limit) => [limit.id, limit]));
    for (const state of states.values()) {
      const limit = limits.get(state.limitId);
      if (limit) this.#end(limit, state, "nothing is held to it here any more", now);
    }
  }
  /**
   * Stores the new state of an entry, and the event if its failure opens, changes or ends.
   * @returns 1 if it does, else 0: the caller then stores the level of the service
   */
  #move(
    hostId: number,
    entry: Entry,
    after: LimitState,
    value: number | null,
    at: number,
    now: number,
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
      const text = isFailing ? failureText(limit, after.level, value) : recoveryText(limit, value);
      this.#record({ ...key, errorAt: entry.errorAt }, after.level, text, date, now);
      entry.errorAt = isFailing ? date : 0;
      entry.openedAt = isFailing ? entry.openedAt || date : 0;
    }
    if (after === KEPT) deleteState(this.db, key);
    else saveState(this.db, { ...key, ...after, openedAt: entry.openedAt, errorAt: entry.errorAt });
    return isTurn ? 1 : 0;
  }

  /** Ends the failure of a stored state, and forgets the state. */
  #end(limit: Limit, row: LimitStateRow, reason: string, now: number): void {
    deleteState(this.db, row);
    if (row.level === LIMIT_LEVEL.none) return;
    const date = Math.max(now, row.errorAt);
    this.#record(row, LIMIT_LEVEL.none, `${limit.name}: ${reason}`, date, now);
    this.#refreshService(row);
  }

  /** Records an event of a limit: an error of a level, or without a level the end of its failure. */
  #record(limited: LimitedCheck, level: number, message: string, date: number, now: number): void {
    const { limitId, hostId, nameId, serviceType } = limited;
    const state = level === LIMIT_LEVEL.none ? SUCCESS : ERROR;
    const check = { hostId, nameId, eventType: RESOURCE, limitId };
    const event = { ...check, serviceType, severity: level, state, action: ACTION_ALERT, message, date };
    // Microseconds keep the order of events in one second, and tell them apart.
    const collectedUsec = freeMicrosecond(this.db, check, date);
    this.events.record({ ...event, collectedSec: date, collectedUsec }, 0, now);
  }

  /** Stores the level of the worst limit that a service passes, and its LED. */
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
