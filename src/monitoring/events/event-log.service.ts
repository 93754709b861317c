import {
  ACTION_ALERT,
  CHANGE,
  ERROR,
  HEARTBEAT,
  MONIT_SERVICE,
  MONIT_SERVICE_TYPE,
  SUCCESS,
} from "../../monit/event-types.ts";
import { type Db, onRollback } from "../../platform/storage/open.ts";
import type { ActiveError, Check, OpenFailure } from "../uptime/downtime.repository.ts";
import { type CheckBefore, Failures, type OnFailureEnded } from "../uptime/downtime.service.ts";
import { dateInOrder } from "../uptime/points.repository.ts";
import { prefetchCountedGroups } from "./event-counts.repository.ts";
import { storeEventOnce, storeNewEvent } from "./event-prefetch.repository.ts";
import { EventPrefetch } from "./event-prefetch.ts";
import { prefetchWordSets } from "./event-words.repository.ts";
import { type NewEvent, nameIdOf } from "./events.repository.ts";

/** A stored event. */
export type LoggedEvent = NewEvent & Check & { id: number; severity: number };

/** The result of recording an event. */
export interface RecordedEvent {
  /**
   * The failure of the event's check that is open now; null if there is none, and after an event that only reports a
   * change.
   */
  failure: OpenFailure | null;
}

/** The id of a stored event, and the failure of its check that is open now. */
interface StoredEvent {
  id: number;
  open: OpenFailure | null;
}

/** Callbacks that run in the same transaction as the change they report. */
export interface EventSubscriber {
  /** Errors of these checks will follow in this transaction. */
  prefetch(checks: readonly Check[]): void;
  /**
   * An event was stored.
   * @param receivedAt unix seconds; the event itself may have happened long before
   * @param open as in `RecordedEvent`
   */
  onEvent(event: LoggedEvent, receivedAt: number, open: OpenFailure | null): void;
  onFailureEnded: OnFailureEnded;
}

/** Stores events. Call its methods within the transaction of the change that causes the event. */
export class EventLog {
  readonly failures: Failures;
  readonly #prefetch: EventPrefetch;
  readonly #recorded = new Map([SUCCESS, ERROR, CHANGE].map((state) => [state, 0]));

  constructor(
    private readonly db: Db,
    private readonly subscriber: EventSubscriber,
  ) {
    this.failures = new Failures(db, subscriber.onFailureEnded, (check) => this.#prefetch.forget(check));
    this.#prefetch = new EventPrefetch(db);
  }

  /**
   * The number of events that were recorded since the start, by state. Events that are deleted stay counted; those that
   * return with a restored host, or are imported, are not.
   */
  get recorded(): ReadonlyMap<number, number> {
    return this.#recorded;
  }

  /**
   * Stores an event and updates everything that depends on it: counts, the active error, the downtime
   * interval. Then it calls the subscriber. What happens after the server's clock was set back is dated behind what the
   * check has stored from before.
   * @param incarnation the agent's current incarnation
   * @param receivedAt unix seconds
   * @returns null if the same event was stored before; then nothing changes
   */
  record(event: NewEvent, incarnation: number, receivedAt: number): RecordedEvent | null {
    const before = this.#prefetch.take(event);
    const full = { ...event, limitId: event.limitId ?? 0, severity: event.severity ?? 0 };
    if (!before && event.state !== CHANGE) full.date = dateInOrder(this.db, full, receivedAt);
    const stored = before
      ? this.#storeNewest(full, before, incarnation)
      : this.#store(full, incarnation, Math.min(full.date, receivedAt));
    if (stored === null) return null;
    this.#count(event.state, 1);
    onRollback(this.db, () => this.#count(event.state, -1));
    this.subscriber.onEvent({ ...full, id: stored.id }, receivedAt, stored.open);
    return { failure: stored.open };
  }

  /** Reads in advance what `record` will need to know about these events of agents. */
  expect(events: readonly NewEvent[]): void {
    if (events.length === 0) return;
    this.#prefetch.load(events);
    prefetchWordSets(
      this.db,
      events.map(({ message }) => message),
    );
    prefetchCountedGroups(
      this.db,
      events.map(({ hostId }) => hostId),
    );
    const errors = events.filter(({ state }) => state === ERROR);
    this.subscriber.prefetch(errors.map((event) => ({ ...event, limitId: 0 })));
  }

  /** Forgets what `expect` read. Call it before the transaction ends. */
  expectNothing(): void {
    this.#prefetch.clear();
  }

  #count(state: number, n: number): void {
    this.#recorded.set(state, (this.#recorded.get(state) ?? 0) + n);
  }

  #store(event: Omit<LoggedEvent, "id">, incarnation: number, at: number): StoredEvent | null {
    const id = storeEventOnce(this.db, event);
    if (id === null) return null;
    const isTurn = event.state !== CHANGE;
    return { id, open: isTurn ? this.failures.update(event, event.date, incarnation, at) : null };
  }

  /** Like `#store`, but reads nothing. */
  #storeNewest(event: Omit<LoggedEvent, "id">, before: CheckBefore, incarnation: number): StoredEvent {
    const store = (active: boolean, dismissal: ActiveError | null) =>
      storeNewEvent(this.db, event, active, dismissal);
    if (event.state === CHANGE) return { id: store(false, null), open: null };
    return this.failures.updateNewest(event, before, incarnation, store);
  }

  /** Whether a failure is an outage of the host itself, not a failure of one of its services. */
  isOutage({ nameId, eventType }: Pick<Check, "nameId" | "eventType">): boolean {
    return eventType === HEARTBEAT && nameId === nameIdOf(this.db, MONIT_SERVICE);
  }

  /** Records that a host is down because it stopped reporting. @param now unix seconds */
  recordOutage(hostId: number, now: number, message: string): void {
    this.record(this.#heartbeatEvent(hostId, now, ERROR, message), 0, now);
  }

  /** Records that a host reports again. @param now unix seconds */
  recordReturn(hostId: number, now: number): void {
    const message = "Monit status report received successfully";
    this.record(this.#heartbeatEvent(hostId, now, SUCCESS, message), 0, now);
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
