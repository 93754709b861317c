/**
 * When a check was failing, as intervals, and which error event stands for a failure that is still open. Both follow
 * from points on the check's time line: its error and success events, and silent recoveries. Points may come late and
 * out of order, so a new one always re-reads the line from the interval it falls into.
 */

import { ERROR } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
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
 * @returns whether the check is failing now
 */
export function updateIntervals(db: Db, check: Check, date: number, incarnation: number): boolean {
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
  return open !== null;
}

/** Called in the transaction in which a check was found not to be failing. @param at unix seconds */
export type OnFailureEnded = (check: Check, at: number) => void;

/** Opens and resolves failures. Call its methods within the transaction of what caused them. */
export class Failures {
  constructor(
    private readonly db: Db,
    private readonly onFailureEnded: OnFailureEnded,
  ) {}

  /** Takes into account an event or a recovery at `date` that has just been stored. @param incarnation as `updateIntervals` */
  update(check: Check, date: number, incarnation: number): void {
    if (!updateIntervals(this.db, check, date, incarnation)) this.onFailureEnded(check, date);
  }

  /** Resolves a failure whose success the agent never sent. At the earliest a second after its newest error. */
  resolve(open: DowntimeInterval, date: number, incarnation: number): void {
    const check: Check = { hostId: open.hostId, nameId: open.nameId, eventType: open.eventType };
    // A recovery in the second of an error sorts before it, and would end nothing.
    const newestError = activeErrorSince(this.db, check, open.startedAt)?.date ?? open.startedAt;
    const at = Math.max(date, newestError + 1);
    insertSilentRecovery(this.db, check, at);
    this.update(check, at, incarnation);
  }
}
