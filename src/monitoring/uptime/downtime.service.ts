/**
 * Maintains the downtime intervals of each check and its active error event. Both are derived from the
 * check's timeline: its error and success events, and recoveries without an event. Points may arrive late
 * and out of order, so each new point causes the timeline to be re-evaluated from the interval that
 * contains it.
 */

import { ERROR } from "../../monit/event-types.ts";
import { MAX_UNIX_TIME } from "../../monit/message.ts";
import type { Db } from "../../platform/storage/open.ts";
import { endAcknowledgement, moveAcknowledgement } from "./acknowledgements.repository.ts";
import {
  type ActiveError,
  activeErrorSince,
  type Check,
  deleteIntervalsFrom,
  insertInterval,
  insertSilentRecovery,
  intervalBefore,
  isStatusOnly,
  type KnownInterval,
  newestErrorSince,
  type OpenFailure,
  setActive,
  silentRecoveriesFrom,
  turningEventsFrom,
  undismissFrom,
  updateClearing,
} from "./downtime.repository.ts";
import { storeNewestInterval } from "./newest-point.postgres.ts";

export interface Point {
  date: number;
  failing: boolean;
  /** The event of the point; null for a recovery without an event, and if the event was deleted. */
  eventId: number | null;
  collectedSec: number;
  /** Whether its event is Muster's own, as only the agent's status reported the failure. */
  isStatusOnly?: boolean;
}

export interface Span {
  startedAt: number;
  endedAt: number | null;
  /** The newest error event of the agent in the span; Muster's own if the agent sent none. */
  errorId: number | null;
  /** Whether that is Muster's own. */
  isStatusOnly?: boolean;
  /** The first error event of the span; null if it was deleted. */
  firstId?: number | null;
  collectedSec: number;
}

/** Makes the error of a point the error of the span that it continues, unless that would replace one of the agent. */
function takeError(span: Span, { eventId, collectedSec, isStatusOnly = false }: Point): void {
  span.collectedSec = collectedSec;
  if (eventId === null || (isStatusOnly && span.errorId !== null && !span.isStatusOnly)) return;
  span.errorId = eventId;
  span.isStatusOnly = isStatusOnly;
}

/** The spans during which a timeline, oldest point first, was failing. Only the last span can be open. */
export function spansOf(points: readonly Point[]): Span[] {
  const spans: Span[] = [];
  let open: Span | null = null;
  for (const point of points) {
    if (point.failing && open) takeError(open, point);
    else if (point.failing) {
      const { date: startedAt, eventId: firstId, collectedSec } = point;
      open = { startedAt, endedAt: null, errorId: null, firstId, collectedSec };
      takeError(open, point);
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
    isStatusOnly: isStatusOnly(event),
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

function isOfFailure(event: ActiveError, open: Span | null): boolean {
  return open !== null && event.date >= open.startedAt;
}

/**
 * Tells whether what a user did about a failure is about the one that is open.
 * @param from id of the first error of the failure when the user did it; null if that is not known
 * @param event the error by which the failure was known
 */
type IsCovered = (from: number | null, event: ActiveError, open: Span) => boolean;

/** As long as no recovery is found within the open failure, that is the one which the user knew. */
const isSameFailure: IsCovered = (_, event, open) => isOfFailure(event, open);

/**
 * As far as the points of the check tell: the failure must not begin after the error by which the user knew it.
 * @param since when the failure began as far as was known before; null if none was open
 */
function isCoveredBy(points: readonly Point[], since: number | null): IsCovered {
  const places = new Map(points.flatMap(({ eventId }, i) => (eventId === null ? [] : [[eventId, i]])));
  return (from, event, open) => {
    const known = from === null ? undefined : places.get(from);
    const began = open.firstId == null ? undefined : places.get(open.firstId);
    if (known !== undefined && began !== undefined) return began <= known;
    return isOfFailure(event, open) && (since === null || open.startedAt <= since);
  };
}

/** The dismissal that the active error of an open failure inherits; null if there is none. */
function dismissalOf(
  before: readonly ActiveError[],
  open: Span | null,
  isCovered: IsCovered,
): ActiveError | null {
  if (open === null) return null;
  return before.find((one) => one.dismissed && isCovered(one.dismissedFrom, one, open)) ?? null;
}

/**
 * Unmarks events that are not the active error of their check any more. What replaces one gets its acknowledgement;
 * the end of a failure ends its acknowledgement.
 */
function unmark(
  db: Db,
  before: readonly ActiveError[],
  open: Span | null,
  date: number,
  isCovered: IsCovered,
): void {
  for (const event of before) {
    const isActive = event.id === open?.errorId;
    if (!isActive) setActive(db, false, !!event.dismissed, event.dismissedFrom, event.id);
    if (!event.acknowledged) continue;
    if (open?.errorId == null || !isCovered(event.acknowledgedFrom, event, open))
      endAcknowledgement(db, event.id, date);
    else if (!isActive) moveAcknowledgement(db, event.id, open.errorId);
  }
}

/**
 * Marks the newest error event of the open failure as active. It inherits the dismissal and the
 * acknowledgement of the event it replaces.
 * @param before the events of the check that are currently marked
 * @param date of the point that causes the change, unix seconds
 */
export function markActive(
  db: Db,
  before: readonly ActiveError[],
  open: Span | null,
  date: number,
  isCovered: IsCovered = isSameFailure,
): void {
  unmark(db, before, open, date, isCovered);
  if (open?.errorId == null) return;
  const dismissal = dismissalOf(before, open, isCovered);
  setActive(db, true, dismissal !== null, dismissal?.dismissedFrom ?? null, open.errorId);
}

/** The first error of the open failure of a check, by which what a user does about the failure is told from others. */
export function firstErrorOf(db: Db, check: Check): number | null {
  const open = intervalBefore(db, check, MAX_UNIX_TIME);
  if (open?.endedAt !== null) return null;
  return spansFrom(open, pointsFrom(db, check, open.startedAt)).at(-1)?.firstId ?? null;
}

/** Takes back the dismissal of the open failure of a check. */
export function undismissFailure(db: Db, check: Check): void {
  const open = intervalBefore(db, check, MAX_UNIX_TIME);
  if (open) undismissFrom(db, check, open.startedAt);
}

/** The spans from the interval on that contains the first point, or from that point on. */
function spansFrom(within: KnownInterval | null, points: readonly Point[]): Span[] {
  const from = within?.startedAt;
  // Retention may have deleted the event that began the interval. The interval itself proves the failure.
  if (!within || from === undefined || points.some((point) => point.failing && point.date === from))
    return spansOf(points);
  const began = { date: from, failing: true, eventId: null, collectedSec: within.clearCollectedSec };
  return spansOf([began, ...points]);
}

function openFailure(check: Check, open: Span | null, incarnation: number): OpenFailure | null {
  if (!open) return null;
  const { hostId, nameId, eventType, limitId } = check;
  const { startedAt, collectedSec: clearCollectedSec } = open;
  const fresh = { incarnation, clearCount: 0, clearSince: 0, clearCollectedSec };
  return { hostId, nameId, eventType, limitId, startedAt, ...fresh };
}

/** How a point changes the failures of its check. */
interface FailureChange {
  /** The failure that is open now. */
  open: OpenFailure | null;
  /** Whether another failure than the open one was found to have ended: before, one was open that began earlier. */
  isSplit: boolean;
}

/**
 * Updates the intervals and the active error of a check after a point at `date` was added.
 * @param incarnation the agent's current incarnation, stored with an open interval
 */
export function updateIntervals(db: Db, check: Check, date: number, incarnation: number): FailureChange {
  const before = intervalBefore(db, check, date);
  const within = before && (before.endedAt === null || before.endedAt >= date) ? before : null;
  const from = within?.startedAt ?? date;
  const added = pointsFrom(db, check, date);
  // If the new point is the newest, the open interval already summarizes everything before it.
  const isNewest = within?.endedAt === null && added.length === 1;
  const points = from === date || isNewest ? added : pointsFrom(db, check, from);
  const spans = spansFrom(within, points);
  deleteIntervalsFrom(db, check, from);
  for (const span of spans) insertInterval(db, check, span, incarnation);
  const last = spans.at(-1);
  const open = last?.endedAt === null ? last : null;
  const active = activeErrorSince(db, check, from);
  // Somebody took care of a failure that is now found to have ended. The one that lasts is a new one.
  const isCovered = isNewest ? isSameFailure : isCoveredBy(points, within?.endedAt === null ? from : null);
  const isLost = open !== null && !!active?.dismissed && !isCovered(active.dismissedFrom, active, open);
  const isAlone =
    open !== null && !!active?.acknowledged && !isCovered(active.acknowledgedFrom, active, open);
  if (isLost) undismissFrom(db, check, open.startedAt);
  markActive(db, active ? [active] : [], open, date, isCovered);
  const isLater = within?.endedAt === null && open !== null && open.startedAt > within.startedAt;
  const isSplit = isLater || isLost || isAlone;
  return { open: openFailure(check, open, incarnation), isSplit };
}

/** What is stored of a check before its newest point. Nothing of it is as late as that point. */
export interface CheckBefore {
  /** The open interval, if the check is failing. */
  open: KnownInterval | null;
  active: ActiveError | null;
}

/** A success or error event that is the newest point of its check. */
type NewestEvent = Check & { id: number; date: number; state: number; collectedSec: number };

/**
 * Called in the transaction in which a check is found not to be failing, or to have recovered before the failure that is
 * open.
 * @param at unix seconds
 */
export type OnFailureEnded = (check: Check, at: number) => void;

/** Opens and resolves failures. Call its methods within the transaction of their cause. */
export class Failures {
  constructor(
    private readonly db: Db,
    private readonly onFailureEnded: OnFailureEnded,
    /** Called before a check changes. */
    private readonly onChange: (check: Check) => void,
  ) {}

  /**
   * Applies an event or recovery at `date` that was just stored.
   * @param incarnation as in `updateIntervals`
   * @returns the failure that is open now
   */
  update(check: Check, date: number, incarnation: number): OpenFailure | null {
    const { open, isSplit } = updateIntervals(this.db, check, date, incarnation);
    if (!open || isSplit) this.onFailureEnded(check, date);
    return open;
  }

  /**
   * As `update`, for an event that is the newest point of its check, without reading anything.
   * @param before what is stored of the check
   * @param store stores the event
   */
  updateNewest(
    event: NewestEvent,
    { open: within, active }: CheckBefore,
    incarnation: number,
    store: (active: boolean, dismissal: ActiveError | null) => void,
  ): OpenFailure | null {
    const { db } = this;
    const before = active ? [active] : [];
    const { id, date, state, collectedSec } = event;
    const point = { date, failing: state === ERROR, eventId: id, collectedSec };
    const span = spansFrom(within, [point]).at(-1);
    const open = span?.endedAt === null ? span : null;
    store(open !== null, dismissalOf(before, open, isSameFailure));
    if (span) storeNewestInterval(db, event, span, incarnation, within !== null);
    unmark(db, before, open, date, isSameFailure);
    if (!open) this.onFailureEnded(event, date);
    return openFailure(event, open, incarnation);
  }

  /** Stores the progress of an open failure towards a recovery without an event. */
  storeClearing(open: OpenFailure): void {
    this.onChange(open);
    updateClearing(this.db, open);
  }

  /** Resolves a failure without a success event, at the earliest one second after its newest error. */
  resolve(open: OpenFailure, date: number, incarnation: number): void {
    this.onChange(open);
    // A recovery in the same second as an error sorts before it and would not end it.
    const newestError = newestErrorSince(this.db, open, open.startedAt) ?? open.startedAt;
    const at = Math.max(date, newestError + 1);
    insertSilentRecovery(this.db, open, at);
    this.update(open, at, incarnation);
  }
}
