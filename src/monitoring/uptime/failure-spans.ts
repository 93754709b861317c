/**
 * Derives all failures of a check from all its points. Intervals are maintained with less work
 * (`downtime.service.ts`); `muster doctor` and tests compare them with these.
 */
import { ERROR } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Check } from "./downtime.repository.ts";
import { allPoints, isStatusOnly } from "./points.repository.ts";

/** A point on the time line of a check: an event, or a recovery without one. */
export interface FailurePoint {
  date: number;
  failing: boolean;
  /** The event of the point; null for a recovery without an event, and if the event was deleted. */
  eventId: number | null;
  collectedSec: number;
  /** Whether Muster added its event, because only the agent's status reported the failure. */
  isStatusOnly?: boolean;
}

/** A failure, as it follows from the points of its check. */
export interface Span {
  startedAt: number;
  endedAt: number | null;
  /** The newest error event of the agent in the span; Muster's own if the agent sent none. */
  errorId: number | null;
  /** Whether Muster added that event. */
  isStatusOnly?: boolean;
  collectedSec: number;
}

/**
 * Makes the error of a point the error of its span, unless that would replace an error of the agent by one of Muster.
 */
function takeError(span: Span, { eventId, collectedSec, isStatusOnly = false }: FailurePoint): void {
  span.collectedSec = collectedSec;
  if (eventId === null || (isStatusOnly && span.errorId !== null && !span.isStatusOnly)) return;
  span.errorId = eventId;
  span.isStatusOnly = isStatusOnly;
}

/** The spans during which a timeline, oldest point first, was failing. Only the last span can be open. */
export function spansOf(points: readonly FailurePoint[]): Span[] {
  const spans: Span[] = [];
  let open: Span | null = null;
  for (const point of points) {
    if (point.failing && open) takeError(open, point);
    else if (point.failing) {
      const { date: startedAt, collectedSec } = point;
      open = { startedAt, endedAt: null, errorId: null, collectedSec };
      takeError(open, point);
      spans.push(open);
    } else if (open) {
      open.endedAt = point.date;
      open = null;
    }
  }
  return spans.filter(({ startedAt, endedAt }) => endedAt !== startedAt);
}

/** All points of a check, oldest first. */
export function pointsOf(db: Db, check: Check): FailurePoint[] {
  const { recoveries, events } = allPoints(db, check);
  const turns: FailurePoint[] = events.map((event) => ({
    date: event.date,
    failing: event.state === ERROR,
    eventId: event.id,
    collectedSec: event.collectedSec,
    isStatusOnly: isStatusOnly(event),
  }));
  const silent: FailurePoint[] = recoveries.map(({ date }) => ({
    date,
    failing: false,
    eventId: null,
    collectedSec: 0,
  }));
  // The sort is stable. In the same second a recovery precedes an event, because it ended an earlier failure.
  return [...silent, ...turns].sort((a, b) => a.date - b.date);
}
