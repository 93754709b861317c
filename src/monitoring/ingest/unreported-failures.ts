/**
 * Opens failures that an agent reports only in its status, because their events were lost: the agent has no event
 * queue, and could not reach Muster when the service failed. One report is not enough, since the event may be on its
 * way.
 */
import {
  ACTION_ALERT,
  CHECKED_TYPES,
  ERROR,
  eventTypeNames,
  eventTypesIn,
  SUCCESS,
} from "../../monit/event-types.ts";
import type { AgentMessage, AgentService } from "../../monit/message.types.ts";
import { type Db, oncePerTransaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import type { EventLog } from "../events/event-log.service.ts";
import type { NewEvent } from "../events/events.repository.ts";
import { failingClasses, HOST_STATUS, MONITOR_ON } from "../health/health.ts";
import { STATUS_ONLY_USEC } from "../uptime/points.repository.ts";
import type { KnownHost } from "./host-cache.ts";
import { dateOf } from "./host-facts.ts";
import {
  deleteSuspectedFailures,
  insertSuspectedFailures,
  keyWithinHost,
  newestTurns,
  type SuspectedFailure,
} from "./suspected-failures.repository.ts";

/**
 * The most failures opened this way in one transaction: after an upgrade, many services may be found failing at once.
 * The next messages open the rest.
 */
const MAX_OPENED = 500;
/** The most failures of a host that wait for a second report. The next messages go on with others. */
const MAX_SUSPECTS = 5000;

/** How many more failures the current transaction may open. */
const openings = oncePerTransaction(() => ({ left: MAX_OPENED }));

/** A service of the host as a message reports it. */
interface Reported {
  service: AgentService;
  serviceId: number;
  nameId: number;
}

/** A failure that was reported twice in a row. */
interface Confirmed {
  reported: Reported;
  first: SuspectedFailure;
}

/** Whether failures of services count for the host. */
function isCounted({ status, stopped }: HostRow): boolean {
  return status !== HOST_STATUS.ignored && !stopped;
}

/** The classes that a service reports as failed; null if it cannot be read. */
function classesOf({ monitor, status, statusHint }: AgentService): number | null {
  if (monitor === null || status === null) return null;
  return (monitor & MONITOR_ON) !== 0 ? failingClasses({ status, statusHint }) & CHECKED_TYPES : 0;
}

/** Whether a status is based on a newer check than the first one that reported the failure. */
function isSecondReport(
  first: SuspectedFailure,
  { collectedSec }: AgentService,
  patience: number,
  receivedAt: number,
): boolean {
  return collectedSec > first.collectedSec || receivedAt >= first.receivedAt + patience;
}

/** The classes of failures that are open, by the ids of the names of their services. */
function openClasses({ openFailures }: KnownHost): Map<number, number> {
  const classes = new Map<number, number>();
  for (const { nameId, eventType } of openFailures)
    classes.set(nameId, (classes.get(nameId) ?? 0) | eventType);
  return classes;
}

/**
 * Compares the statuses of hosts with their open failures. It keeps the suspected failures of a host in the
 * database and in its cached host, and runs inside the transaction that stores the message.
 */
export class UnreportedFailures {
  constructor(
    private readonly db: Db,
    private readonly events: EventLog,
  ) {}

  /** Call it when an agent's success event was stored: earlier reports of that failure no longer count. */
  succeeded(host: KnownHost, { nameId, eventType, state, date }: NewEvent): void {
    if (state !== SUCCESS || host.suspects.length === 0) return;
    const ofName = [...host.services.values()].filter((service) => service.nameId === nameId);
    const serviceIds = new Set(ofName.map(({ id }) => id));
    const isOver = (suspect: SuspectedFailure) =>
      suspect.eventType === eventType && suspect.since <= date && serviceIds.has(suspect.serviceId);
    this.#drop(host, host.suspects.filter(isOver));
  }

  /**
   * Compares the status in a message with that in the previous one. Call it after storing the events and recoveries
   * of the message.
   */
  update(host: KnownHost, message: AgentMessage, receivedAt: number): void {
    const failing = this.#failing(host, message);
    if (failing.length === 0 && host.suspects.length === 0) return;
    const before = new Map(host.suspects.map((suspect) => [keyOf(suspect), suspect]));
    const added: SuspectedFailure[] = [];
    const confirmed: Confirmed[] = [];
    const repeated = new Set<SuspectedFailure>();
    for (const { reported, classes } of failing)
      for (const eventType of eventTypesIn(classes)) {
        const { service, serviceId } = reported;
        const first = before.get(keyOf({ serviceId, eventType }));
        if (first === undefined) added.push(firstReport(host, reported, eventType, receivedAt));
        else if (isSecondReport(first, service, host.row.skew * host.row.poll, receivedAt))
          confirmed.push({ reported, first });
        if (first !== undefined) repeated.add(first);
      }
    const isUnread = unreadOf(host, message);
    this.#drop(
      host,
      host.suspects.filter((suspect) => !repeated.has(suspect) && !isUnread(suspect)),
    );
    const suspects = added.slice(0, Math.max(0, MAX_SUSPECTS - host.suspects.length));
    insertSuspectedFailures(this.db, host.row.id, suspects);
    host.suspects.push(...suspects);
    this.#open(host, confirmed, message.incarnation, receivedAt);
  }

  /** What the services of a message report as failed without an open failure. */
  #failing(host: KnownHost, { services }: AgentMessage): { reported: Reported; classes: number }[] {
    if (!isCounted(host.row)) return [];
    const failing: { reported: Reported; classes: number }[] = [];
    const open = openClasses(host);
    for (const service of services) {
      const reported = classesOf(service);
      if (reported === null || reported === 0) continue;
      const row = host.services.get(service.name);
      if (row === undefined) continue;
      const { id: serviceId, nameId } = row;
      const classes = reported & ~(open.get(nameId) ?? 0);
      if (classes !== 0) failing.push({ reported: { service, serviceId, nameId }, classes });
    }
    return failing;
  }

  #open(host: KnownHost, confirmed: readonly Confirmed[], incarnation: number, receivedAt: number): void {
    const budget = openings(this.db);
    const opened = confirmed.slice(0, budget.left);
    if (opened.length === 0) return;
    budget.left -= opened.length;
    const events = this.#eventsOf(host, opened);
    this.events.expect(events);
    for (const event of events) {
      const failure = this.#record(event, incarnation, receivedAt);
      if (failure !== null) host.openFailures = [...host.openFailures, failure];
    }
    this.#drop(
      host,
      opened.map(({ first }) => first),
    );
  }

  /** Muster's own events for these failures. */
  #eventsOf(host: KnownHost, opened: readonly Confirmed[]): NewEvent[] {
    const hostId = host.row.id;
    const checks = opened.map(({ reported: { nameId }, first }) => ({ ...first, nameId }));
    const turns = newestTurns(this.db, hostId, checks);
    return opened.map(({ reported: { service, nameId }, first: { eventType, collectedSec, since } }) => {
      // The check may be older than the last recovery: the agent has not checked the service since.
      const newest = turns.get(keyWithinHost({ nameId, eventType }));
      return {
        hostId,
        nameId,
        eventType,
        serviceType: service.type,
        date: newest === undefined ? since : newest + 1,
        collectedSec,
        collectedUsec: STATUS_ONLY_USEC,
        state: ERROR,
        action: ACTION_ALERT,
        message: `${eventTypeNames(eventType).join(", ")} failed: the agent reported it in its status, without an event`,
      };
    });
  }

  #record(event: NewEvent, incarnation: number, receivedAt: number) {
    for (let usec = event.collectedUsec; ; usec--) {
      const recorded = this.events.record({ ...event, collectedUsec: usec }, incarnation, receivedAt);
      if (recorded) return recorded.failure;
    }
  }

  #drop(host: KnownHost, suspects: readonly SuspectedFailure[]): void {
    if (suspects.length === 0) return;
    deleteSuspectedFailures(this.db, host.row.id, suspects);
    const dropped = new Set(suspects);
    host.suspects = host.suspects.filter((suspect) => !dropped.has(suspect));
  }
}

function keyOf({ serviceId, eventType }: Pick<SuspectedFailure, "serviceId" | "eventType">): string {
  return `${serviceId} ${eventType}`;
}

function firstReport(
  { row }: KnownHost,
  { service: { collectedSec }, serviceId }: Reported,
  eventType: number,
  receivedAt: number,
): SuspectedFailure {
  const since = collectedSec === 0 ? receivedAt : dateOf(collectedSec, row.clockOffset, receivedAt);
  return { serviceId, eventType, since, collectedSec, receivedAt };
}

/** Finds the suspected failures on which a message is silent, as their services could not be read. */
function unreadOf(
  { services }: KnownHost,
  { services: listed, unreadServices }: AgentMessage,
): (suspect: SuspectedFailure) => boolean {
  const idOf = (name: string) => services.get(name)?.id;
  const readable = listed.filter((service) => classesOf(service) !== null);
  const read = new Set(readable.map(({ name }) => idOf(name)));
  if (unreadServices === "any") return ({ serviceId }) => !read.has(serviceId);
  const names = [...unreadServices, ...listed.map(({ name }) => name)];
  const unread = new Set(names.map(idOf).filter((id) => !read.has(id)));
  return ({ serviceId }) => unread.has(serviceId);
}
