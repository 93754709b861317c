/**
 * Events that hosts had on another server. They become part of the history of a host, so that its past uptime is
 * computed, but nobody is notified of them.
 */
import { CHANGE } from "../../monit/event-types.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import {
  findNameId,
  insertEventOnce,
  insertNote,
  type NewEvent,
  nameIdOf,
} from "../events/events.repository.ts";
import { IMPORTED_USEC, importedIdsAt, isPresent } from "../events/imported-events.repository.ts";
import { findHostOfAgent, updateHost } from "../hosts/hosts.repository.ts";
import type { HostCache } from "../ingest/host-cache.ts";
import type { Failures } from "../uptime/downtime.service.ts";
import { moveFirstServices } from "./first-services.repository.ts";
import type {
  ImportedEvent,
  ImportedEventIdentity,
  MissingArguments,
  StoreArguments,
} from "./imported-events.schemas.ts";

interface ImportedEventsDependencies {
  db: Db;
  clock: Clock;
  settings: Settings;
  failures: Failures;
  hostCache: HostCache;
}

type Host = NonNullable<ReturnType<typeof findHostOfAgent>>;

/** Events that a host had on another server. Only those that retention would keep are stored, each once. */
export class ImportedEvents {
  constructor(private readonly dependencies: ImportedEventsDependencies) {}

  /**
   * Tells which events of a host are not stored yet. Reads a few rows for each. The events of one second must be in one
   * request: another server may have them with other ids, and only their number tells that all are stored.
   * @throws ApiError 400, 404
   */
  missing({ agentid, events }: MissingArguments) {
    const host = this.#hostOf(agentid);
    this.#refuseFuture(events);
    const kept = this.#keptOf(events);
    const sameMoment = ({ service, eventtype, state, date }: ImportedEventIdentity) =>
      `${date} ${eventtype} ${state} ${service}`;
    const missing = [...Map.groupBy(kept, sameMoment).values()].flatMap((group) =>
      this.#missingOf(host, group),
    );
    return { missing, present: kept.length - missing.length, expired: events.length - kept.length };
  }

  /** The ids of events that are not stored. @param group events of a check with the same state and date */
  #missingOf(host: Host, group: readonly ImportedEventIdentity[]): number[] {
    const { db } = this.dependencies;
    const [first] = group;
    const nameId = first ? findNameId(db, first.service) : null;
    if (!first || nameId === null) return group.map(({ id }) => id);
    const missing = group.filter((event) => !isPresent(db, identityOf(host, nameId, event)));
    if (missing.length === 0) return [];
    const ids = new Set(group.map(({ id }) => id));
    const fromOthers = importedIdsAt(db, identityOf(host, nameId, first)).filter((id) => !ids.has(id));
    return missing.slice(fromOthers.length).map(({ id }) => id);
  }

  /** Stores those of the events that are missing, all or none. @throws ApiError 400, 404 */
  store({ agentid, events }: StoreArguments): { host: number; stored: number } {
    const { db, hostCache } = this.dependencies;
    this.#refuseFuture(events);
    return transaction(db, () => {
      const host = this.#hostOf(agentid);
      const stored = this.#keptOf(events).filter((event) => this.#storeOne(host, event));
      if (stored.length > 0) {
        const dates = stored.map(({ date }) => date);
        const createdAt = Math.min(host.createdAt, ...dates);
        updateHost(db, host.id, { createdAt, importedUntil: Math.max(host.importedUntil, ...dates) });
        // An agent's first event is usually that it started. Its first services have been there since.
        moveFirstServices(db, { hostId: host.id, from: host.createdAt, to: createdAt });
        hostCache.forget(host.id);
      }
      return { host: host.id, stored: stored.length };
    });
  }

  #storeOne(host: Host, event: ImportedEvent): boolean {
    const { db, failures } = this.dependencies;
    const { servicetype: serviceType, action, message } = event;
    const identity = identityOf(host, nameIdOf(db, event.service), event);
    if (isPresent(db, identity)) return false;
    const row: NewEvent = { ...identity, serviceType, action, message };
    const id = insertEventOnce(db, row);
    if (id === null) return false;
    if (row.state !== CHANGE) failures.update({ ...row, limitId: 0 }, row.date, host.incarnation);
    for (const note of event.notes) insertNote(db, { eventId: id, ...note });
    return true;
  }

  #hostOf(agentId: string): Host {
    return found(findHostOfAgent(this.dependencies.db, agentId), "host of agent", agentId);
  }

  /** The events that are not older than Muster keeps events. */
  #keptOf<T extends ImportedEventIdentity>(events: readonly T[]): T[] {
    const { clock, settings } = this.dependencies;
    const oldest = clock.now() - settings.get("eventdays") * DAY;
    return events.filter(({ date }) => date >= oldest);
  }

  /** An event after now would be an outage that has not happened yet. @throws ApiError 400 */
  #refuseFuture(events: readonly ImportedEventIdentity[]): void {
    const now = this.dependencies.clock.now();
    const i = events.findIndex(({ date }) => date > now);
    if (i >= 0) throw errors.badArgument(`events[${i}].date`, `at most the present time, ${now}`);
  }
}

/** The columns that identify an imported event. */
function identityOf(
  { id: hostId }: Host,
  nameId: number,
  { id, date, eventtype, state }: ImportedEventIdentity,
) {
  const collected = { collectedSec: date, collectedUsec: IMPORTED_USEC + id };
  return { hostId, nameId, eventType: eventtype, state, date, ...collected };
}
