/** Stores the events that agents report, with their effects on the host. */

import {
  ACTION_STOP,
  CHANGE,
  ERROR,
  INSTANCE,
  MONIT_SERVICE,
  MONIT_SERVICE_TYPE,
  SUCCESS,
} from "../../monit/event-types.ts";
import type { AgentEvent } from "../../monit/message.types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { EventLog } from "../events/event-log.service.ts";
import { type NewEvent, nameIdOf } from "../events/events.repository.ts";
import { isImported, SAME_EVENT_SECONDS } from "../events/imported-events.repository.ts";
import { HOST_STATUS } from "../health/health.ts";
import type { OpenFailure } from "../uptime/downtime.repository.ts";
import { endsRun } from "./agent-stop.ts";
import type { KnownHost } from "./host-cache.ts";
import { dateOf } from "./host-facts.ts";
import type { Receipt } from "./reading.ts";
import type { UnreportedFailures } from "./unreported-failures.ts";

// Event states that only agents use; they are not stored.
const AGENT_STATE_CHANGED_NOT = 3;
const AGENT_STATE_INIT = 4;

/** Maps an agent's event state to one of the three stored ones. An unknown state is stored as a change. */
function storedState(state: number): number {
  if (state === AGENT_STATE_CHANGED_NOT) return SUCCESS;
  return state === SUCCESS || state === ERROR ? state : CHANGE;
}

/** An event of an agent as it is stored. @param offset of the agent's clock, seconds */
export function eventOf(
  event: AgentEvent,
  hostId: number,
  service: { nameId: number; type: number },
  offset: number,
  receivedAt: number,
): NewEvent {
  const { collectedUsec, eventType, action, message } = event;
  const collectedSec = event.collectedSec ?? receivedAt - offset;
  return {
    hostId,
    nameId: service.nameId,
    serviceType: event.serviceType ?? service.type,
    date: dateOf(collectedSec, offset, receivedAt),
    collectedSec,
    collectedUsec,
    eventType,
    state: storedState(event.state),
    action,
    message,
  };
}

function isOfCheck(failure: OpenFailure, { nameId, eventType }: NewEvent): boolean {
  return failure.nameId === nameId && failure.eventType === eventType;
}

/** Stores the events of agents. Call it within the transaction of their message. */
export class AgentEvents {
  constructor(
    private readonly db: Db,
    private readonly events: EventLog,
    private readonly unreported: UnreportedFailures,
  ) {}

  /**
   * Stores an event unless the host is ignored. The stop event of the agent also makes the host Inactive.
   * @param isFirstOfRun whether the message is the first one since the agent started
   */
  record(host: KnownHost, event: AgentEvent, { message, receivedAt }: Receipt, isFirstOfRun: boolean): void {
    const { row } = host;
    if (row.status === HOST_STATUS.ignored || event.state === AGENT_STATE_INIT) return;
    const service = host.services.get(event.service) ?? {
      nameId: nameIdOf(this.db, event.service),
      type: MONIT_SERVICE_TYPE,
    };
    const stored = eventOf(event, row.id, service, row.clockOffset, receivedAt);
    // The agent may have queued the event for two servers, and it was imported from the other one.
    if (stored.date <= row.importedUntil + SAME_EVENT_SECONDS && isImported(this.db, stored)) return;
    const recorded = this.events.record(stored, row.incarnation, receivedAt);
    if (!recorded) return;
    this.unreported.succeeded(host, stored);
    const { state, collectedSec } = stored;
    if (state !== CHANGE) {
      const otherFailures = host.openFailures.filter((failure) => !isOfCheck(failure, stored));
      host.openFailures = recorded.failure ? [...otherFailures, recorded.failure] : otherFailures;
    }
    const isStop =
      event.service === MONIT_SERVICE && event.eventType === INSTANCE && event.action === ACTION_STOP;
    // A message with nothing but the event may belong to another run.
    const isOfRun = message.incarnation === row.incarnation;
    if (!isStop || !isOfRun || !endsRun(message, collectedSec, isFirstOfRun)) return;
    const isStoppedByHand = row.stopped && row.stopToldAt === null;
    if (!isStoppedByHand) row.stopToldAt = Math.max(collectedSec, row.stopToldAt ?? 0);
    row.stopped = true;
    row.status = HOST_STATUS.inactive;
  }
}
