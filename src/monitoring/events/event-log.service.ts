import {
  ACTION_ALERT,
  CHANGE,
  ERROR,
  HEARTBEAT,
  MONIT_SERVICE,
  MONIT_SERVICE_TYPE,
  SUCCESS,
} from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { ActiveError, Check, OpenFailure } from "../uptime/downtime.repository.ts";
import { Failures, type OnFailureEnded } from "../uptime/downtime.service.ts";
import { EventPrefetch, type PrefetchedEvent, storePrefetchedEvent } from "./event-prefetch.postgres.ts";
import { insertEventOnce, type NewEvent, nameIdOf } from "./events.repository.ts";

/** A stored event. */
export type LoggedEvent = NewEvent & Check & { id: number; severity: number };

export interface RecordedEvent {
  /** The failure of the event's check that is open now; null if there is none, and after a mere change. */
  failure: OpenFailure | null;
}

/** Callbacks that run in the same transaction as the change they report. */
export interface EventSubscriber {
  /** Events of these checks follow in this transaction. */
  prefetch(checks: readonly Check[]): void;
  /** An event was stored. @param receivedAt unix seconds; the event itself may have happened long before */
  onEvent(event: LoggedEvent, receivedAt: number): void;
  onFailureEnded: OnFailureEnded;
}

/** Stores events. Call its methods within the transaction of the change that causes the event. */
export class EventLog {
  readonly failures: Failures;
  readonly #prefetch: EventPrefetch;

  constructor(
    private readonly db: Db,
    private readonly subscriber: EventSubscriber,
  ) {
    this.failures = new Failures(db, subscriber.onFailureEnded, (check) => this.#prefetch.forget(check));
    this.#prefetch = new EventPrefetch(db);
  }

  /**
   * Stores an event and updates everything that depends on it: counts, the active error, the downtime
   * interval. Then it calls the subscriber.
   * @param incarnation the agent's current incarnation
   * @param receivedAt unix seconds
   * @returns null if the same event was stored before; then nothing changes
   */
  record(event: NewEvent, incarnation: number, receivedAt = event.date): RecordedEvent | null {
    const known = this.#prefetch.take(event);
    const id = known?.id ?? insertEventOnce(this.db, event);
    if (id === null) return null;
    const logged = { ...event, limitId: event.limitId ?? 0, severity: event.severity ?? 0, id };
    const failure = known ? this.#storeKnown(logged, known, incarnation) : this.#update(logged, incarnation);
    this.subscriber.onEvent(logged, receivedAt);
    return { failure };
  }

  /** Reads at once what `record` will ask about these events of agents. Only where the database `isRemote`. */
  expect(events: readonly NewEvent[]): void {
    if (events.length === 0) return;
    this.#prefetch.load(events);
    this.subscriber.prefetch(events.map((event) => ({ ...event, limitId: 0 })));
  }

  /** Forgets what `expect` read. Call it before the transaction ends. */
  expectNothing(): void {
    this.#prefetch.clear();
  }

  #update(event: LoggedEvent, incarnation: number): OpenFailure | null {
    return event.state === CHANGE ? null : this.failures.update(event, event.date, incarnation);
  }

  /** As `insertEventOnce` and `#update`, without reading anything. */
  #storeKnown(event: LoggedEvent, known: PrefetchedEvent, incarnation: number): OpenFailure | null {
    const store = (active: boolean, dismissal: ActiveError | null) =>
      storePrefetchedEvent(this.db, event, active, dismissal);
    if (event.state !== CHANGE) return this.failures.updateNewest(event, known, incarnation, store);
    store(false, null);
    return null;
  }

  /** Whether a failure is an outage of the host itself rather than a failure of one of its services. */
  isOutage({ nameId, eventType }: Pick<Check, "nameId" | "eventType">): boolean {
    return eventType === HEARTBEAT && nameId === nameIdOf(this.db, MONIT_SERVICE);
  }

  /** Records that a host is down because it stopped reporting. @param date unix seconds */
  recordOutage(hostId: number, date: number, message: string): void {
    this.record(this.#heartbeatEvent(hostId, date, ERROR, message), 0);
  }

  /** Records that a host reports again. @param date unix seconds */
  recordReturn(hostId: number, date: number): void {
    const message = "Monit status report received successfully";
    this.record(this.#heartbeatEvent(hostId, date, SUCCESS, message), 0);
  }

  #heartbeatEvent(hostId: number, date: number, state: number, message: string): NewEvent {
    return {
      hostId,
      nameId: nameIdOf(this.db, MONIT_SERVICE),
      serviceType: MONIT_SERVICE_TYPE,
      date,
      collectedSec: date,
      collectedUsec: 0,
      eventType: HEARTBEAT,
      state,
      action: ACTION_ALERT,
      message,
    };
  }
}
