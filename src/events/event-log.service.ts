import { takeEvent } from "../alerts/intents.service.ts";
import type { Db } from "../database/open.ts";
import { settleCheck } from "../uptime/downtime.service.ts";
import {
  ACTION_ALERT,
  CHANGE,
  ERROR,
  HEARTBEAT,
  MONIT_SERVICE,
  MONIT_SERVICE_TYPE,
  SUCCESS,
} from "./event-types.ts";
import { countEvent, insertEventOnce, type NewEvent, nameIdOf } from "./events.repository.ts";

/**
 * Stores an event with everything that follows from it: counters, the active error, the downtime interval, and that
 * somebody is to be told. Call it within the transaction of the event's cause.
 * @param at when it was received, unix seconds; agents may tell of what happened long before
 * @returns false when the same event was stored before; then nothing changes
 */
export function recordEvent(db: Db, event: NewEvent, incarnation: number, at = event.date): boolean {
  const id = insertEventOnce(db, event);
  if (id === null) return false;
  countEvent(db, event.hostId, event.nameId);
  if (event.state !== CHANGE) settleCheck(db, event, event.date, incarnation);
  takeEvent(db, { ...event, id }, at);
  return true;
}

function heartbeatEvent(db: Db, hostId: number, date: number, state: number, message: string): NewEvent {
  return {
    hostId,
    nameId: nameIdOf(db, MONIT_SERVICE),
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

/** The host fell silent. */
export function recordSilence(db: Db, hostId: number, date: number, message: string): void {
  recordEvent(db, heartbeatEvent(db, hostId, date, ERROR, message), 0);
}

/** The host is heard again. */
export function recordReturn(db: Db, hostId: number, date: number): void {
  recordEvent(db, heartbeatEvent(db, hostId, date, SUCCESS, "Monit status report received successfully"), 0);
}
