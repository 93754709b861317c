/**
 * Detects recoveries that an agent does not report as events. After an unmonitor, a reload or a restart,
 * agents never send the success event of an open failure. The service states in their status messages show
 * the recovery instead.
 */
import type { AgentMessage, AgentService } from "../../monit/message.types.ts";
import { type Db, oncePerTransaction } from "../../platform/storage/open.ts";
import { failingClasses, MONITOR_ON } from "../health/health.ts";
import { type OpenFailure, openFailuresOfAgent } from "../uptime/downtime.repository.ts";
import type { Failures } from "../uptime/downtime.service.ts";
import type { KnownHost } from "./host-cache.ts";
import { agentNow, dateOf } from "./host-facts.ts";

/**
 * Consecutive clear reports that end a failure. A failing service can report itself clear for a single
 * cycle.
 */
const CLEAR_REPORTS = 3;

/**
 * The most failures that end this way in one transaction, and the most whose progress is stored. The next messages
 * continue with the others.
 */
const MAX_ENDED = 500;
const MAX_COUNTED = 5000;

/** How many more failures the current transaction may end, and store the progress of. */
const budgets = oncePerTransaction(() => ({ ended: MAX_ENDED, counted: MAX_COUNTED }));

/** The parts of a message that matter for recoveries. */
interface Report {
  message: AgentMessage;
  clockOffset: number;
  /** Unix seconds, by the clocks of the agent and of Muster. */
  sentAt: number;
  receivedAt: number;
  /** Whether more progress may be stored. The fact that a failure is reported again is always stored. */
  mayCount: () => boolean;
  /** Stores the progress of a failure towards a recovery. */
  storeClearing: (open: OpenFailure) => void;
}

/**
 * Counts a report towards recovery.
 * @returns the date of recovery once there are enough reports, otherwise null
 */
function countClearReport(
  open: OpenFailure,
  { collectedSec }: AgentService,
  { clockOffset, sentAt, receivedAt, mayCount, storeClearing }: Report,
): number | null {
  // Messages between two checks of a service repeat its last state. Only a new check counts.
  if (collectedSec === open.clearCollectedSec) return null;
  // If the agent's clock was set back, earlier checks have later dates.
  if (collectedSec < open.clearCollectedSec && open.clearCollectedSec <= sentAt) return null;
  if (!mayCount()) return null;
  if (open.clearCount === 0) open.clearSince = dateOf(collectedSec, clockOffset, receivedAt);
  open.clearCount++;
  open.clearCollectedSec = collectedSec;
  if (open.clearCount >= CLEAR_REPORTS) return open.clearSince;
  storeClearing(open);
  return null;
}

/** Whether the state of its service in a message shows the failure. */
function isReported(open: OpenFailure, { monitor, status, statusHint }: AgentService): boolean {
  if (monitor === null || monitor === 0 || status === null) return false;
  return (failingClasses({ status, statusHint }) & open.eventType) !== 0;
}

/** Whether another report of the failure would change nothing that is stored about it. */
function isUpToDate(open: OpenFailure, { incarnation }: AgentMessage): boolean {
  return open.clearCount === 0 && open.incarnation === incarnation;
}

/** The services of a message by the ids of their names. */
function servicesByName(services: KnownHost["services"], message: AgentMessage): Map<number, AgentService> {
  return new Map(
    message.services.flatMap((service) => {
      const nameId = services.get(service.name)?.nameId;
      return nameId === undefined ? [] : [[nameId, service]];
    }),
  );
}

/**
 * Whether a message with the same states would leave every failure of the host as it is: the open failures are all
 * reported again, and no others are.
 */
export function isStable({ openFailures, suspects, services }: KnownHost, message: AgentMessage): boolean {
  if (suspects.length > 0) return false;
  if (openFailures.length === 0) return true;
  const listed = servicesByName(services, message);
  return openFailures.every((open) => {
    const service = listed.get(open.nameId);
    return service !== undefined && isReported(open, service) && isUpToDate(open, message);
  });
}

/** When the failure ended, judging by the state of its service in this message; null if it has not ended. */
function recoveryDate(open: OpenFailure, service: AgentService, report: Report): number | null {
  const { message, clockOffset, receivedAt, storeClearing } = report;
  const { monitor, status } = service;
  if (monitor === 0) return receivedAt;
  // Unreadable values are no evidence of recovery.
  if (monitor === null || status === null) return null;
  if (isReported(open, service)) {
    if (isUpToDate(open, message)) return null;
    open.clearCount = 0;
    open.incarnation = message.incarnation;
    storeClearing(open);
    return null;
  }
  // The service has not been checked, or the date of its check is unknown.
  if (service.collectedSec === 0) return null;
  if (open.incarnation !== message.incarnation && (monitor & MONITOR_ON) !== 0)
    return dateOf(service.collectedSec, clockOffset, receivedAt);
  return countClearReport(open, service, report);
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
  const services = servicesByName(host.services, message);
  const { unreadServices } = message;
  const unread = new Set(
    unreadServices === "any" ? [] : unreadServices.map((name) => host.services.get(name)?.nameId),
  );
  const { clockOffset } = host.row;
  const budget = budgets(db);
  const storeClearing = (open: OpenFailure) => {
    budget.counted--;
    failures.storeClearing(open);
  };
  const report: Report = {
    message,
    clockOffset,
    sentAt: agentNow(message),
    receivedAt,
    mayCount: () => budget.counted > 0,
    storeClearing,
  };
  let ended = false;
  for (const failure of host.openFailures) {
    const service = services.get(failure.nameId);
    if (!service && (unreadServices === "any" || unread.has(failure.nameId))) continue;
    const date = service ? recoveryDate(failure, service, report) : receivedAt;
    if (date === null || budget.ended === 0) continue;
    failures.resolve(failure, date, message.incarnation);
    budget.ended--;
    ended = true;
  }
  if (ended) host.openFailures = openFailuresOfAgent(db, host.row.id);
}
