/**
 * Maintains the downtime intervals of each check and its active error event. Both are derived from the
 * check's timeline: its error and success events, and recoveries without an event. Points may arrive late
 * and out of order, so each new point causes the timeline to be re-evaluated from the interval that
 * contains it.
 */

import { ERROR } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { endAcknowledgement, moveAcknowledgement } from "./acknowledgements.repository.ts";
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
  /** The event of the point; null for a recovery without an event, and if the event was deleted. */
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

/** The spans during which a timeline, oldest point first, was failing. Only the last span can be open. */
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
  // The sort is stable. In the same second a recovery precedes an event, because it ended an earlier failure.
  return [...recoveries, ...turns].sort((a, b) => a.date - b.date);
}

/**
 * Marks the newest error event of the open failure as active. It inherits the dismissal and the
 * acknowledgement of the event it replaces; the end of a failure ends its acknowledgement.
 * @param before the events of the check that are currently marked
 * @param date of the point that causes the change, unix seconds
 */
export function markActive(db: Db, before: readonly ActiveError[], open: Span | null, date: number): void {
  const isOfOpen = (event: ActiveError) => open !== null && event.date >= open.startedAt;
  const dismissed = before.some((event) => event.dismissed && isOfOpen(event));
  for (const event of before) {
    if (event.id === open?.errorId) continue;
    setActive(db, event.id, false, !!event.dismissed);
    if (!event.acknowledged) continue;
    if (open?.errorId != null && isOfOpen(event)) moveAcknowledgement(db, event.id, open.errorId);
    else endAcknowledgement(db, event.id, date);
  }
  if (open?.errorId != null) setActive(db, open.errorId, true, dismissed);
}

/**
 * Updates the intervals and the active error of a check after a point at `date` was added.
 * @param incarnation the agent's current incarnation, stored with an open interval
 * @returns whether the check is failing now
 */
export function updateIntervals(db: Db, check: Check, date: number, incarnation: number): boolean {
  const before = intervalBefore(db, check, date);
  const within = before && (before.endedAt === null || before.endedAt >= date) ? before : null;
  const from = within?.startedAt ?? date;
  const added = pointsFrom(db, check, date);
  // If the new point is the newest, the open interval already summarizes everything before it.
  const isNewest = within?.endedAt === null && added.length === 1;
  const points = from === date || isNewest ? added : pointsFrom(db, check, from);
  // Retention may have deleted the event that began the interval. The interval itself proves the failure.
  if (within && !points.some((point) => point.failing && point.date === from))
    points.unshift({ date: from, failing: true, eventId: null, collectedSec: within.clearCollectedSec });
  deleteIntervalsFrom(db, check, from);
  const spans = spansOf(points);
  for (const span of spans) insertInterval(db, check, span, incarnation);
  const last = spans.at(-1);
  const open = last?.endedAt === null ? last : null;
  const active = activeErrorSince(db, check, from);
  markActive(db, active ? [active] : [], open, date);
  return open !== null;
}

/** Called in the transaction in which a check is found not to be failing. @param at unix seconds */
export type OnFailureEnded = (check: Check, at: number) => void;

/** Opens and resolves failures. Call its methods within the transaction of their cause. */
export class Failures {
  constructor(
    private readonly db: Db,
    private readonly onFailureEnded: OnFailureEnded,
  ) {}

  /**
   * Applies an event or recovery at `date` that was just stored.
   * @param incarnation as in `updateIntervals`
   */
  update(check: Check, date: number, incarnation: number): void {
    if (!updateIntervals(this.db, check, date, incarnation)) this.onFailureEnded(check, date);
  }

  /** Resolves a failure without a success event, at the earliest one second after its newest error. */
  resolve(open: DowntimeInterval, date: number, incarnation: number): void {
    // A recovery in the same second as an error sorts before it and would not end it.
    const newestError = activeErrorSince(this.db, open, open.startedAt)?.date ?? open.startedAt;
    const at = Math.max(date, newestError + 1);
    insertSilentRecovery(this.db, open, at);
    this.update(open, at, incarnation);
  }
}
