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
import type { Check } from "../uptime/downtime.repository.ts";
import { Failures, type OnFailureEnded } from "../uptime/downtime.service.ts";
import { insertEventOnce, type NewEvent, nameIdOf } from "./events.repository.ts";

/** A stored event. */
export type LoggedEvent = NewEvent & Check & { id: number; severity: number };

/** Callbacks that run in the same transaction as the change they report. */
export interface EventSubscriber {
  /** An event was stored. @param receivedAt unix seconds; the event itself may have happened long before */
  onEvent(event: LoggedEvent, receivedAt: number): void;
  onFailureEnded: OnFailureEnded;
}

/** Stores events. Call its methods within the transaction of the change that causes the event. */
export class EventLog {
  readonly failures: Failures;

  constructor(
    private readonly db: Db,
    private readonly subscriber: EventSubscriber,
  ) {
    this.failures = new Failures(db, subscriber.onFailureEnded);
  }

  /**
   * Stores an event and updates everything that depends on it: counts, the active error, the downtime
   * interval. Then it calls the subscriber.
   * @param incarnation the agent's current incarnation
   * @param receivedAt unix seconds
   * @returns false if the same event was stored before; then nothing changes
   */
  record(event: NewEvent, incarnation: number, receivedAt = event.date): boolean {
    const id = insertEventOnce(this.db, event);
    if (id === null) return false;
    const logged = { ...event, limitId: event.limitId ?? 0, severity: event.severity ?? 0, id };
    if (event.state !== CHANGE) this.failures.update(logged, event.date, incarnation);
    this.subscriber.onEvent(logged, receivedAt);
    return true;
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
