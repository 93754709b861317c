import { ACTION_ALERT, ERROR, RESOURCE, SUCCESS } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { LimitStateRow } from "../../platform/storage/schema.ts";
import type { EventLog } from "../events/event-log.service.ts";
import { LIMIT_LEVEL, serviceLed } from "../health/health.ts";
import { findHost, healthOfHost, updateHost } from "../hosts/hosts.repository.ts";
import { openIntervalsOfHost } from "../uptime/downtime.repository.ts";
import type { LimitEntry } from "./host-limits.ts";
import type { Limit } from "./limit.ts";
import { failureText, type MonthUsage, recoveryText } from "./limit-message.ts";
import { type LimitState, WITHIN_BOUNDS } from "./limit-state.ts";
import {
  deleteState,
  freeMicrosecond,
  limitRows,
  saveState,
  serviceOfState,
  setServiceLevel,
  worstLevel,
} from "./limits.repository.ts";

/** The check of a limit. */
type LimitedCheck = Pick<LimitStateRow, "limitId" | "hostId" | "nameId" | "serviceType" | "errorAt">;

/** What was compared with a limit. Times are unix seconds. */
export interface Comparison {
  /** Null if it is missing. */
  value: number | null;
  /** When the value was received, or since when it is missing. */
  at: number;
  now: number;
  /** For a limit on a month's sum; otherwise null. */
  usage: MonthUsage | null;
}

/**
 * Opens, changes and ends failures of limits: stores the state of the limit, the event, and the level of the service.
 * Call its methods within the transaction of their cause.
 */
export class LimitFailures {
  constructor(
    private readonly db: Db,
    private readonly events: EventLog,
  ) {}

  /**
   * Stores the new state of an entry, and an event if its failure opens, changes or ends.
   * @returns 1 if there was such an event, otherwise 0: the caller then stores the level of the service
   */
  move(hostId: number, entry: LimitEntry, after: LimitState, { value, at, now, usage }: Comparison): 0 | 1 {
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

  /** Ends the failure of a stored state, and deletes the state. @param now unix seconds */
  end(limit: Limit, row: LimitStateRow, reason: string, now: number): void {
    deleteState(this.db, row);
    if (row.level === LIMIT_LEVEL.none) return;
    const date = Math.max(now, row.errorAt);
    this.#record(row, LIMIT_LEVEL.none, `${limit.name}: ${reason}`, date, now);
    this.refreshService(row);
  }

  /** Ends those failures of a host whose limits no longer exist. @param now unix seconds */
  endOfDeleted(hostId: number, now: number): void {
    const openFailures = openIntervalsOfHost(this.db, hostId).filter(
      ({ limitId }) => limitId !== 0 && !limitRows.find(this.db, limitId),
    );
    for (const check of openFailures) {
      const serviceType = serviceOfState(this.db, check)?.type ?? 0;
      const limited = { ...check, serviceType, errorAt: 0 };
      this.#record(limited, LIMIT_LEVEL.none, "The limit was deleted", now, now);
      this.refreshService(check);
    }
    if (openFailures.length > 0) this.refreshHost(hostId);
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
  refreshService(of: Pick<LimitStateRow, "hostId" | "nameId">): void {
    const service = serviceOfState(this.db, of);
    const limitLevel = worstLevel(this.db, of);
    if (service && service.limitLevel !== limitLevel)
      setServiceLevel(this.db, service.id, limitLevel, serviceLed({ ...service, limitLevel }));
  }

  /** Derives the LED and the counts of a host from its services, outside a message. */
  refreshHost(hostId: number): void {
    const row = findHost(this.db, hostId, "all");
    if (row) updateHost(this.db, hostId, healthOfHost(this.db, row));
  }
}
