/**
 * When a check was failing, as intervals, and which error event stands for a failure that is still open. Both follow
 * from points on the check's time line: its error and success events, and silent recoveries. Points may come late and
 * out of order, so a new one always re-reads the line from the interval it falls into.
 */
import { wakeAlerts } from "../alerts/alerts.repository.ts";
import type { Db } from "../database/open.ts";
import { ERROR } from "../events/event-types.ts";
import {
  activeErrors,
  type Check,
  type DowntimeInterval,
  deleteIntervalsFrom,
  insertInterval,
  insertSilentRecovery,
  intervalBefore,
  setActive,
  silentRecoveriesFrom,
  turningEventsFrom,
} from "./downtime.repository.ts";

export interface Point {
  date: number;
  failing: boolean;
  /** The event behind the point; null for a silent recovery, and for the start of an interval whose event is gone. */
  eventId: number | null;
  collectedSec: number;
}

export interface Span {
  startedAt: number;
  endedAt: number | null;
  /** The newest error event of the span. */
  errorId: number | null;
  collectedSec: number;
}

/** The spans during which a time line of points, oldest first, was failing. Only the last can be open. */
export function spansOf(points: readonly Point[]): Span[] {
  const spans: Span[] = [];
  let open: Span | null = null;
  for (const point of points) {
    if (point.failing && open) {
      open.errorId = point.eventId ?? open.errorId;
      open.collectedSec = point.collectedSec;
    } else if (point.failing) {
      open = {
        startedAt: point.date,
        endedAt: null,
        errorId: point.eventId,
        collectedSec: point.collectedSec,
      };
      spans.push(open);
    } else if (open) {
      open.endedAt = point.date;
      open = null;
    }
  }
  return spans.filter(({ startedAt, endedAt }) => endedAt !== startedAt);
}

/** The points of a check from `date` on, oldest first. */
export function pointsFrom(db: Db, check: Check, date: number): Point[] {
  const turns: Point[] = turningEventsFrom(db, check, date).map((event) => ({
    date: event.date,
    failing: event.state === ERROR,
    eventId: event.id,
    collectedSec: event.collectedSec,
  }));
  const recoveries: Point[] = silentRecoveriesFrom(db, check, date).map((at) => ({
    date: at,
    failing: false,
    eventId: null,
    collectedSec: 0,
  }));
  // Stable: at the same second a recovery comes before an event, since it ended what was failing before.
  return [...recoveries, ...turns].sort((a, b) => a.date - b.date);
}

/** Moves the mark of the open failure to its newest error event, with the dismissal of the one it replaces. */
export function markActive(db: Db, check: Check, open: Span | null): void {
  const before = activeErrors(db, check);
  const dismissed = open !== null && before.some((event) => event.dismissed && event.date >= open.startedAt);
  for (const event of before) if (event.id !== open?.errorId) setActive(db, event.id, false, event.dismissed);
  if (open?.errorId != null) setActive(db, open.errorId, true, dismissed);
}

/**
 * Brings intervals and the active error of a check in line with its points, after one at `date` was added.
 * @param incarnation of the agent now, remembered with an open interval
 * @returns the open interval, or null when the check is not failing
 */
export function settleCheck(
  db: Db,
  check: Check,
  date: number,
  incarnation: number,
): DowntimeInterval | null {
  const before = intervalBefore(db, check, date);
  const within = before && (before.endedAt === null || before.endedAt >= date) ? before : null;
  const from = within?.startedAt ?? date;
  const points = pointsFrom(db, check, from);
  // The event that began the interval may be past its retention: the interval itself is proof enough.
  if (within && !points.some((point) => point.failing && point.date === from))
    points.unshift({ date: from, failing: true, eventId: null, collectedSec: within.clearCollectedSec });
  deleteIntervalsFrom(db, check, from);
  let open: DowntimeInterval | null = null;
  let last: Span | null = null;
  for (const span of spansOf(points)) {
    const { startedAt, endedAt, collectedSec } = span;
    const row = insertInterval(db, {
      ...check,
      startedAt,
      endedAt,
      incarnation,
      clearCollectedSec: collectedSec,
    });
    if (endedAt === null) [open, last] = [row, span];
  }
  markActive(db, check, last);
  if (open === null) wakeAlerts(db, check, date);
  return open;
}

/** Ends a failure whose success the agent never told. At the earliest a second after its newest error. */
export function recoverSilently(db: Db, open: DowntimeInterval, date: number, incarnation: number): void {
  const check: Check = { hostId: open.hostId, nameId: open.nameId, eventType: open.eventType };
  // At the second of an error a recovery stands before it, and would end nothing.
  const errors = activeErrors(db, check).map((event) => event.date);
  const at = Math.max(date, open.startedAt + 1, ...errors.map((error) => error + 1));
  insertSilentRecovery(db, check, at);
  settleCheck(db, check, at, incarnation);
}
