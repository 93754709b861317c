/**
 * Detects recoveries that an agent does not report as events. After an unmonitor, a reload or a restart,
 * agents never send the success event of an open failure. The service states in their status messages show
 * the recovery instead.
 */
import type { AgentMessage, AgentService } from "../../monit/message.types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { failingClasses } from "../health/health.ts";
import { type OpenFailure, openFailuresOfAgent } from "../uptime/downtime.repository.ts";
import type { Failures } from "../uptime/downtime.service.ts";
import type { KnownHost } from "./host-cache.ts";

/**
 * Consecutive clear reports that end a failure. A failing service can report itself clear for a single
 * cycle.
 */
const CLEAR_REPORTS = 3;
const MONITORED = 1;

/**
 * Counts a report towards recovery.
 * @returns the date of recovery once there are enough reports, otherwise null
 */
function countClearReport(
  failures: Failures,
  open: OpenFailure,
  service: AgentService,
  clockOffset: number,
): number | null {
  // Messages between two checks of a service repeat its last state. Only a new check counts.
  if (service.collectedSec <= open.clearCollectedSec) return null;
  if (open.clearCount === 0) open.clearSince = service.collectedSec + clockOffset;
  open.clearCount++;
  open.clearCollectedSec = service.collectedSec;
  if (open.clearCount >= CLEAR_REPORTS) return open.clearSince;
  failures.storeClearing(open);
  return null;
}

/** Whether the state of its service in a message shows the failure. */
function isReported(open: OpenFailure, { monitor, status, statusHint }: AgentService): boolean {
  if (monitor === null || monitor === 0 || status === null) return false;
  return (failingClasses({ status, statusHint }) & open.eventType) !== 0;
}

/** Whether another report of the failure would change nothing that is stored of it. */
function isUpToDate(open: OpenFailure, { incarnation }: AgentMessage): boolean {
  return open.clearCount === 0 && open.incarnation === incarnation;
}

/**
 * Whether a message with the same states would leave every failure of the host as it is: the open failures are all
 * reported again, and no others are.
 */
export function isStable({ openFailures, suspects, services }: KnownHost, message: AgentMessage): boolean {
  if (suspects.length > 0) return false;
  return openFailures.every((open) => {
    const service = message.services.find(({ name }) => services.get(name)?.nameId === open.nameId);
    return service !== undefined && isReported(open, service) && isUpToDate(open, message);
  });
}

/** When the failure ended, judging by the state of its service in this message; null if it has not ended. */
function recoveryDate(
  failures: Failures,
  open: OpenFailure,
  service: AgentService,
  message: AgentMessage,
  clockOffset: number,
  receivedAt: number,
): number | null {
  const { monitor, status } = service;
  if (monitor === 0) return receivedAt;
  // Unreadable values are no evidence of recovery.
  if (monitor === null || status === null) return null;
  if (isReported(open, service)) {
    if (isUpToDate(open, message)) return null;
    open.clearCount = 0;
    open.incarnation = message.incarnation;
    failures.storeClearing(open);
    return null;
  }
  // The service has not been checked, or the date of its check is unknown.
  if (service.collectedSec === 0) return null;
  if (open.incarnation !== message.incarnation && monitor === MONITORED)
    return Math.min(receivedAt, service.collectedSec + clockOffset);
  return countClearReport(failures, open, service, clockOffset);
}

/**
 * Resolves the open failures of a host that have ended, judging by the states of the services in the
 * message.
 */
export function resolveUnreportedRecoveries(
  db: Db,
  failures: Failures,
  host: KnownHost,
  message: AgentMessage,
  receivedAt: number,
): void {
  if (host.openFailures.length === 0) return;
  const nameIdOf = (name: string) => host.services.get(name)?.nameId;
  const services = new Map(message.services.map((service) => [nameIdOf(service.name), service]));
  const { unreadServices } = message;
  const unread = new Set(unreadServices === "any" ? [] : unreadServices.map(nameIdOf));
  let ended = false;
  for (const failure of host.openFailures) {
    const service = services.get(failure.nameId);
    if (!service && (unreadServices === "any" || unread.has(failure.nameId))) continue;
    const date = service
      ? recoveryDate(failures, failure, service, message, host.row.clockOffset, receivedAt)
      : receivedAt;
    if (date === null) continue;
    failures.resolve(failure, date, message.incarnation);
    ended = true;
  }
  if (ended) host.openFailures = openFailuresOfAgent(db, host.row.id);
}
