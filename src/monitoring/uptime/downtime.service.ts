/**
 * Maintains the downtime intervals of each check and its active error event. Both are derived from the check's
 * timeline: its error and success events, and recoveries without an event. Points may arrive late and out of order, so
 * each new point causes the timeline to be re-evaluated from the interval that contains it.
 */

import { ERROR } from "../../monit/event-types.ts";
import { MAX_UNIX_TIME } from "../../monit/message.ts";
import type { Db } from "../../platform/storage/open.ts";
import { endAcknowledgement, moveAcknowledgement } from "./acknowledgements.repository.ts";
import {
  type ActiveError,
  activeErrorSince,
  type Check,
  changeInterval,
  deleteInterval,
  deleteIntervalsFrom,
  insertInterval,
  insertSilentRecovery,
  intervalBefore,
  isStatusOnly,
  newestErrorSince,
  type OpenFailure,
  recordDismissalsFrom,
  type StoredInterval,
  setActive,
  silentRecoveriesFrom,
  turningEventsFrom,
  undismissFrom,
  updateClearing,
} from "./downtime.repository.ts";

export interface FailurePoint {
  date: number;
  failing: boolean;
  /** The event of the point; null for a recovery without an event, and if the event was deleted. */
  eventId: number | null;
  collectedSec: number;
  /** Whether Muster added its event, because only the agent's status reported the failure. */
  isStatusOnly?: boolean;
}

export interface Span {
  startedAt: number;
  endedAt: number | null;
  /** The newest error event of the agent in the span; Muster's own if the agent sent none. */
  errorId: number | null;
  /** Whether Muster added that event. */
  isStatusOnly?: boolean;
  /** The first error event of the span; null if it was deleted. */
  firstId?: number | null;
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
export function pointsFrom(db: Db, check: Check, date: number): FailurePoint[] {
  const turns: FailurePoint[] = turningEventsFrom(db, check, date).map((event) => ({
    date: event.date,
    failing: event.state === ERROR,
    eventId: event.id,
    collectedSec: event.collectedSec,
    isStatusOnly: isStatusOnly(event),
  }));
  const recoveries: FailurePoint[] = silentRecoveriesFrom(db, check, date).map((at) => ({
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
 * Tells whether a user's action on a failure applies to the failure that is open now.
 * @param from id of the first error of the failure when the user acted; null if unknown
 * @param event the error of the failure on which the user acted
 */
type IsCovered = (from: number | null, event: ActiveError, open: Span) => boolean;

/** Unless a recovery turns out to be within the open failure, the user acted on that failure. */
const isSameFailure: IsCovered = (_, event, open) => isOfFailure(event, open);

/**
 * Compares points of the check: the failure must not begin after the error on which the user acted.
 * @param since when the failure began, as known at the time; null if none was open
 */
function isCoveredBy(points: readonly FailurePoint[], since: number | null): IsCovered {
  const places = new Map(points.flatMap(({ eventId }, i) => (eventId === null ? [] : [[eventId, i]])));
  return (from, event, open) => {
    const actedOn = from === null ? undefined : places.get(from);
    const began = open.firstId == null ? undefined : places.get(open.firstId);
    if (actedOn !== undefined && began !== undefined) return began <= actedOn;
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
  return before.find((error) => error.dismissed && isCovered(error.dismissedFrom, error, open)) ?? null;
}

/** A change of the errors of a check that are marked as active. */
interface ActiveChange {
  hostId: number;
  /** The errors that are marked. There is at most one unless a mark is wrong. */
  errors: readonly ActiveError[];
  /** The failure that is open now. */
  open: Span | null;
  /** Time of the point that causes the change, unix seconds. */
  date: number;
}

/**
 * Unmarks events that are no longer the active error of their check. The acknowledgement of a replaced error moves to
 * the new one; the end of a failure ends its acknowledgement.
 */
function unmark(db: Db, { hostId, errors, open, date }: ActiveChange, isCovered: IsCovered): void {
  for (const event of errors) {
    const isActive = event.id === open?.errorId;
    const { id, dismissedFrom } = event;
    if (!isActive) setActive(db, { id, hostId, active: false, dismissed: !!event.dismissed, dismissedFrom });
    if (!event.acknowledged) continue;
    if (open?.errorId == null || !isCovered(event.acknowledgedFrom, event, open))
      endAcknowledgement(db, event.id, date);
    else if (!isActive) moveAcknowledgement(db, event.id, open.errorId);
  }
}

/**
 * Marks the newest error event of the open failure as active. It inherits the dismissal and the
 * acknowledgement of the event it replaces.
 */
export function markActive(db: Db, change: ActiveChange, isCovered: IsCovered = isSameFailure): void {
  unmark(db, change, isCovered);
  const { hostId, errors, open } = change;
  if (open?.errorId == null) return;
  const dismissal = dismissalOf(errors, open, isCovered);
  setActive(db, { id: open.errorId, hostId, active: true, ...dismissalColumns(dismissal) });
}

/** The columns of an error that inherits a dismissal. */
export function dismissalColumns(dismissal: ActiveError | null) {
  return { dismissed: dismissal !== null, dismissedFrom: dismissal?.dismissedFrom ?? null };
}

/** The first error of the open failure of a check. It identifies the failure on which a user acts. */
export function firstErrorOf(db: Db, check: Check): number | null {
  const open = intervalBefore(db, check, MAX_UNIX_TIME);
  if (open?.endedAt !== null) return null;
  return spansFrom(open, pointsFrom(db, check, open.startedAt)).at(-1)?.firstId ?? null;
}

/** Undoes the dismissal of the open failure of a check, and records it. @param at unix seconds */
export function undismissFailure(db: Db, check: Check, at: number): void {
  const open = intervalBefore(db, check, MAX_UNIX_TIME);
  if (!open) return;
  recordDismissalsFrom(db, check, open.startedAt, at);
  undismissFrom(db, check, open.startedAt);
}

/** The spans from the start of the interval that contains the first point; without one, from that point on. */
function spansFrom(within: StoredInterval | null, points: readonly FailurePoint[]): Span[] {
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

/** The row of a span. @param incarnation the agent's current incarnation */
export function intervalOf(
  { hostId, nameId, eventType, limitId }: Check,
  { startedAt, endedAt, collectedSec }: Omit<Span, "errorId">,
  incarnation: number,
) {
  // Nobody asks when the service of a failure that ended was last checked.
  const clearCollectedSec = endedAt === null ? collectedSec : 0;
  return { hostId, nameId, eventType, limitId, startedAt, endedAt, incarnation, clearCollectedSec };
}

/** How a point changes the failures of its check. */
interface FailureChange {
  /** The failure that is open now. */
  open: OpenFailure | null;
  /**
   * Whether an earlier failure turned out to have ended before the open one began. Until now they seemed to be one
   * failure.
   */
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
  for (const span of spans) insertInterval(db, intervalOf(check, span, incarnation));
  const last = spans.at(-1);
  const open = last?.endedAt === null ? last : null;
  const active = activeErrorSince(db, check, from);
  // The user acted on a failure that, as is now known, had already ended. The open failure is a new one.
  const isCovered = isNewest ? isSameFailure : isCoveredBy(points, within?.endedAt === null ? from : null);
  const isLost = open !== null && !!active?.dismissed && !isCovered(active.dismissedFrom, active, open);
  const isAlone =
    open !== null && !!active?.acknowledged && !isCovered(active.acknowledgedFrom, active, open);
  if (isLost) undismissFrom(db, check, open.startedAt);
  const errors = active ? [active] : [];
  markActive(db, { hostId: check.hostId, errors, open, date }, isCovered);
  const isLater = within?.endedAt === null && open !== null && open.startedAt > within.startedAt;
  const isSplit = isLater || isLost || isAlone;
  return { open: openFailure(check, open, incarnation), isSplit };
}

/** The stored rows about a check before its newest point. None of them is later than that point. */
export interface CheckBefore {
  /** The open interval, if the check is failing. */
  open: StoredInterval | null;
  active: ActiveError | null;
}

/** A success or error event that is the newest point of its check. */
type NewestEvent = Check & { date: number; state: number; collectedSec: number };

/**
 * Called in the transaction which finds that a check is not failing, or recovered before the open failure.
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
   * Like `update`, for an event that is the newest point of its check and is yet to be stored. Reads nothing.
   * @param before the stored rows about the check
   * @param store stores the event
   * @returns its id
   */
  updateNewest(
    event: NewestEvent,
    { open: within, active }: CheckBefore,
    incarnation: number,
    store: (active: boolean, dismissal: ActiveError | null) => number,
  ): { id: number; open: OpenFailure | null } {
    const { db } = this;
    const errors = active ? [active] : [];
    const { hostId, date, state, collectedSec } = event;
    const span = spansFrom(within, [{ date, failing: state === ERROR, eventId: null, collectedSec }]).at(-1);
    const open = span?.endedAt === null ? span : null;
    const id = store(open !== null, dismissalOf(errors, open, isSameFailure));
    if (open) open.errorId = id;
    if (span) {
      const interval = intervalOf(event, span, incarnation);
      if (within) changeInterval(db, { ...interval, clearCount: 0, clearSince: 0 });
      else insertInterval(db, interval);
    } else if (within) {
      // It began in the second in which it ends.
      deleteInterval(db, { ...event, startedAt: within.startedAt });
    }
    unmark(db, { hostId, errors, open, date }, isSameFailure);
    if (!open) this.onFailureEnded(event, date);
    return { id, open: openFailure(event, open, incarnation) };
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
