/**
 * When a check was failing, as intervals, and which error event stands for a failure that is still open. Both follow
 * from points on the check's time line: its error and success events, and silent recoveries. Points may come late and
 * out of order, so a new one always re-reads the line from the interval it falls into.
 */
import { wakeAlerts } from "../alerts/alerts.repository.ts";
import type { Db } from "../database/open.ts";
import { ERROR } from "../events/event-types.ts";
import {
  type ActiveError,
  activeErrorSince,
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

/**
 * Moves the mark of the open failure to its newest error event, with the dismissal of the one it replaces.
 * @param before the errors of the check that are marked now
 */
export function markActive(db: Db, before: readonly ActiveError[], open: Span | null): void {
  const dismissed = open !== null && before.some((event) => event.dismissed && event.date >= open.startedAt);
  for (const event of before)
    if (event.id !== open?.errorId) setActive(db, event.id, false, !!event.dismissed);
  if (open?.errorId != null) setActive(db, open.errorId, true, dismissed);
}

/**
 * Brings intervals and the active error of a check in line with its points, after one at `date` was added.
 * @param incarnation of the agent now, remembered with an open interval
 */
export function settleCheck(db: Db, check: Check, date: number, incarnation: number): void {
  const before = intervalBefore(db, check, date);
  const within = before && (before.endedAt === null || before.endedAt >= date) ? before : null;
  const from = within?.startedAt ?? date;
  const added = pointsFrom(db, check, date);
  // Before the newest point of all, an open interval says all that there is to know.
  const isNewest = within?.endedAt === null && added.length === 1;
  const points = from === date || isNewest ? added : pointsFrom(db, check, from);
  // The event that began the interval may be past its retention: the interval itself is proof enough.
  if (within && !points.some((point) => point.failing && point.date === from))
    points.unshift({ date: from, failing: true, eventId: null, collectedSec: within.clearCollectedSec });
  deleteIntervalsFrom(db, check, from);
  const { hostId, nameId, eventType } = check;
  const spans = spansOf(points);
  for (const { startedAt, endedAt, collectedSec } of spans)
    insertInterval(db, {
      ...{ hostId, nameId, eventType, startedAt, endedAt, incarnation },
      clearCollectedSec: collectedSec,
    });
  const last = spans.at(-1);
  const open = last?.endedAt === null ? last : null;
  const active = activeErrorSince(db, check, from);
  markActive(db, active ? [active] : [], open);
  if (open === null) wakeAlerts(db, check, date);
}

/** Ends a failure whose success the agent never told. At the earliest a second after its newest error. */
export function recoverSilently(db: Db, open: DowntimeInterval, date: number, incarnation: number): void {
  const check: Check = { hostId: open.hostId, nameId: open.nameId, eventType: open.eventType };
  // At the second of an error a recovery stands before it, and would end nothing.
  const newestError = activeErrorSince(db, check, open.startedAt)?.date ?? open.startedAt;
  const at = Math.max(date, newestError + 1);
  insertSilentRecovery(db, check, at);
  settleCheck(db, check, at, incarnation);
}
