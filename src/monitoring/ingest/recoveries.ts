/**
 * Recoveries that an agent does not report as events. It often never sends the success of a failure: not after an
 * unmonitor, a reload or a restart. What its status messages say instead is read here.
 */
import type { AgentMessage, AgentService } from "../../monit/message.types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { failingClasses } from "../health/health.ts";
import { type DowntimeInterval, openIntervalsOfHost, updateClearing } from "../uptime/downtime.repository.ts";
import type { Failures } from "../uptime/downtime.service.ts";
import type { KnownHost } from "./host-cache.ts";

/** A failing service can report itself clear for a cycle; this many reports in a row are believed. */
const CLEAR_REPORTS = 3;
const MONITORED = 1;

/** Counts a report towards recovery. @returns the date of recovery once there were enough, else null */
function countClearReport(
  db: Db,
  open: DowntimeInterval,
  service: AgentService,
  clockOffset: number,
): number | null {
  // Messages between two checks of the service repeat what is known; only a new check tells something.
  if (service.collectedSec <= open.clearCollectedSec) return null;
  if (open.clearCount === 0) open.clearSince = service.collectedSec + clockOffset;
  open.clearCount++;
  open.clearCollectedSec = service.collectedSec;
  if (open.clearCount >= CLEAR_REPORTS) return open.clearSince;
  updateClearing(db, open);
  return null;
}

/** When the failure ended according to what this message says of its service; null while it has not. */
function recoveryDate(
  db: Db,
  open: DowntimeInterval,
  service: AgentService,
  message: AgentMessage,
  clockOffset: number,
  receivedAt: number,
): number | null {
  const { monitor, status, statusHint } = service;
  if (monitor === 0) return receivedAt;
  // What could not be read is no sign of recovery.
  if (monitor === null || status === null) return null;
  if ((failingClasses({ monitorState: monitor, status, statusHint }) & open.eventType) !== 0) {
    if (open.clearCount === 0 && open.incarnation === message.incarnation) return null;
    open.clearCount = 0;
    open.incarnation = message.incarnation;
    updateClearing(db, open);
    return null;
  }
  // Not checked, or nobody knows when.
  if (service.collectedSec === 0) return null;
  if (open.incarnation !== message.incarnation && monitor === MONITORED)
    return Math.min(receivedAt, service.collectedSec + clockOffset);
  return countClearReport(db, open, service, clockOffset);
}

/** Ends the open failures of a host that are over by what the message's services say. */
export function endSilentFailures(
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
      ? recoveryDate(db, failure, service, message, host.row.clockOffset, receivedAt)
      : receivedAt;
    if (date === null) continue;
    failures.resolve(failure, date, message.incarnation);
    ended = true;
  }
  if (ended) host.openFailures = openIntervalsOfHost(db, host.row.id);
}
