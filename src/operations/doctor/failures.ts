/** Checks that intervals and open errors match the events and the recoveries that have no event. */

import { eventTypeNames } from "../../monit/event-types.ts";
import { activeErrors, type Check, insertInterval } from "../../monitoring/uptime/downtime.repository.ts";
import { intervalOf, markActive } from "../../monitoring/uptime/downtime.service.ts";
import { type FailurePoint, pointsOf, type Span, spansOf } from "../../monitoring/uptime/failure-spans.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allChecks, deleteIntervalsSince, intervalsOfCheck, oldestClosedEvent } from "./doctor.repository.ts";
import type { DoctorFinding } from "./finding.ts";

type KnownCheck = ReturnType<typeof allChecks>[number];

/** An open failure of a limit, according to its events. */
export interface OpenLimitFailure {
  check: KnownCheck;
  startedAt: number;
  /** The newest error. */
  errorId: number;
}

interface Stored {
  startedAt: number;
  endedAt: number | null;
}

/**
 * The points of a check. They include the starts of intervals whose event is older than the retention period, since
 * only the interval is then left as evidence. Other events of that time do not count: one can be kept because someone
 * is still to be notified of it, while the recovery after it is gone.
 */
function keptPointsOf(db: Db, check: Check, recent: readonly Stored[], horizon: number): FailurePoint[] {
  const isWithin = (date: number) =>
    recent.some(({ startedAt, endedAt }) => startedAt <= date && date <= (endedAt ?? date));
  const points = pointsOf(db, check).filter(({ date }) => date >= horizon || isWithin(date));
  const starts = new Set(points.filter((point) => point.failing).map((point) => point.date));
  const proven = recent
    .filter(({ startedAt }) => startedAt < horizon && !starts.has(startedAt))
    .map(({ startedAt }) => ({ date: startedAt, failing: true, eventId: null, collectedSec: 0 }));
  return [...points, ...proven].sort((a, b) => a.date - b.date);
}

const boundsOf = (intervals: readonly Stored[]) =>
  intervals.map(({ startedAt, endedAt }) => ({ startedAt, endedAt }));

function rebuildIntervals(db: Db, check: KnownCheck, spans: Span[], since: number): void {
  deleteIntervalsSince(db, check, since);
  for (const span of spans) insertInterval(db, intervalOf(check, span, check.incarnation));
}

/**
 * Compares the intervals and open errors of every check with its events and recoveries.
 * @param keptSince time since which retention has deleted no event, unix seconds
 * @returns the findings, and the open failures of limits according to their events
 */
export function findFailureFaults(
  db: Db,
  keptSince: number,
): { findings: DoctorFinding[]; ofLimits: OpenLimitFailure[] } {
  const horizon = Math.max(keptSince, oldestClosedEvent(db) ?? keptSince);
  const isRecent = ({ endedAt }: Stored) => endedAt === null || endedAt >= horizon;
  const findings: DoctorFinding[] = [];
  const ofLimits: OpenLimitFailure[] = [];
  for (const check of allChecks(db)) {
    const checkName = `${check.name} on ${check.hostname} (${eventTypeNames(check.eventType).join(", ")})`;
    const intervals = intervalsOfCheck(db, check).filter(isRecent);
    const spans = spansOf(keptPointsOf(db, check, intervals, horizon));
    const expected = spans.filter(isRecent);
    if (!Bun.deepEquals(boundsOf(expected), boundsOf(intervals)))
      findings.push({
        sentence: `The downtimes of ${checkName} do not match its events and recoveries.`,
        repair: () => rebuildIntervals(db, check, expected, horizon),
      });
    const last = spans.at(-1);
    const open = last?.endedAt === null ? last : null;
    if (check.limitId > 0 && open?.errorId != null)
      ofLimits.push({ check, startedAt: open.startedAt, errorId: open.errorId });
    const active = activeErrors(db, check);
    const activeIds = active.map(({ id }) => id);
    if (!Bun.deepEquals(activeIds, open?.errorId == null ? [] : [open.errorId]))
      findings.push({
        sentence: `${checkName} ${open ? "is failing, but its newest error is not the one" : "is not failing, but has an error"} that is marked as open.`,
        repair: () =>
          markActive(db, {
            hostId: check.hostId,
            errors: active,
            open,
            date: last?.endedAt ?? open?.startedAt ?? horizon,
          }),
      });
  }
  return { findings, ofLimits };
}
