/**
 * Maintains the downtime intervals of each check and its active error event. Both are derived from the check's
 * timeline: its error and success events, and recoveries without an event. Points may arrive late and out of order. A
 * new point changes at most the interval during which it falls and the next one, so only what is around it is read.
 */

import { ERROR } from "../../monit/event-types.ts";
import { MAX_UNIX_TIME } from "../../monit/message-bounds.ts";
import type { Db } from "../../platform/storage/open.ts";
import { endAcknowledgement, moveAcknowledgement } from "./acknowledgements.repository.ts";
import {
  type ActiveError,
  activeErrorSince,
  type Check,
  changeInterval,
  deleteInterval,
  insertInterval,
  intervalAfter,
  intervalBefore,
  type OpenFailure,
  recordDismissalsFrom,
  type StoredInterval,
  setActive,
  undismissFrom,
  updateClearing,
} from "./downtime.repository.ts";
import {
  firstEnd,
  firstErrorBetween,
  insertSilentRecovery,
  isBehind,
  isStatusOnly,
  newestErrorOfAgentSince,
  newestErrorSince,
  type PlacedEvent,
  placeOf,
  turnAt,
} from "./points.repository.ts";

/** When a failure began and ended. */
type Bounds = Pick<StoredInterval, "startedAt" | "endedAt">;

/** The failure of a check that is open now. */
interface OpenSpan {
  startedAt: number;
  /** The newest error event of the agent in the failure; Muster's own if the agent sent none. */
  errorId: number | null;
}

function isOfFailure(event: ActiveError, open: OpenSpan | null): boolean {
  return open !== null && event.date >= open.startedAt;
}

/**
 * Tells whether a user's action on a failure applies to the failure that is open now.
 * @param from id of the first error of the failure when the user acted; null if unknown
 * @param event the error of the failure on which the user acted
 */
type IsCovered = (from: number | null, event: ActiveError, open: OpenSpan) => boolean;

/** Unless a recovery turns out to be within the open failure, the user acted on that failure. */
const isSameFailure: IsCovered = (_, event, open) => isOfFailure(event, open);

/**
 * Compares points of the check: the failure must not begin after the error on which the user acted.
 * @param since when the failure began, as known at the time; null if none was open
 */
function isCoveredBy(db: Db, check: Check, since: number | null): IsCovered {
  return (from, event, open) => {
    const actedOn = from === null ? null : placeOf(db, from);
    const began = turnAt(db, check, open.startedAt).error;
    if (actedOn && began) return !isBehind(began, actedOn);
    return isOfFailure(event, open) && (since === null || open.startedAt <= since);
  };
}

/** The dismissal that the active error of an open failure inherits; null if there is none. */
function dismissalOf(
  before: readonly ActiveError[],
  open: OpenSpan | null,
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
  open: OpenSpan | null;
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

/**
 * The id of the first error of a check's open failure; null if there is none. It identifies the failure on which a user
 * acts.
 */
export function firstErrorOf(db: Db, check: Check): number | null {
  const open = intervalBefore(db, check, MAX_UNIX_TIME);
  if (open?.endedAt !== null) return null;
  return turnAt(db, check, open.startedAt).error?.id ?? null;
}

/** Undoes the dismissal of the open failure of a check, and records it. @param at unix seconds */
export function undismissFailure(db: Db, check: Check, at: number): void {
  const open = intervalBefore(db, check, MAX_UNIX_TIME);
  if (!open) return;
  recordDismissalsFrom(db, check, open.startedAt, at);
  undismissFrom(db, check, open.startedAt);
}

/** The row of an interval. @param incarnation the agent's current incarnation */
export function intervalOf(
  { hostId, nameId, eventType, limitId }: Check,
  { startedAt, endedAt, collectedSec }: Bounds & { collectedSec: number },
  incarnation: number,
) {
  // Only open failures need the time of the last check of their service.
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

/** Intervals of a check, and those that take their place. */
interface Replacement {
  removed: readonly StoredInterval[];
  added: readonly Bounds[];
}

/**
 * How the intervals change with the points of a second.
 * @param lasting the stored interval that lasts beyond this second, if there is one
 * @param isLate whether an interval began after this second
 */
function replacementAt(
  db: Db,
  check: Check,
  date: number,
  lasting: StoredInterval | null,
  isLate: boolean,
): Replacement {
  const { hasEnd, error } = turnAt(db, check, date);
  if (lasting) {
    const { startedAt, endedAt } = lasting;
    if (error && !hasEnd) return { removed: [], added: [] };
    // All points until its end are errors. After a success the first of them begins another failure.
    const restart = error ? date : firstErrorBetween(db, check, date, endedAt ?? MAX_UNIX_TIME);
    return {
      removed: [lasting],
      added: [
        ...(startedAt < date ? [{ startedAt, endedAt: date }] : []),
        ...(restart === null ? [] : [{ startedAt: restart, endedAt }]),
      ],
    };
  }
  if (!error) return { removed: [], added: [] };
  const next = isLate ? intervalAfter(db, check, date) : null;
  const endedAt = firstEnd(db, check, date, next?.startedAt ?? MAX_UNIX_TIME);
  if (endedAt !== null || !next) return { removed: [], added: [{ startedAt: date, endedAt }] };
  return { removed: [next], added: [{ startedAt: date, endedAt: next.endedAt }] };
}

/** The error that stands for the failure that is open since a second; null if all its errors were deleted. */
function errorOf(db: Db, check: Check, startedAt: number, newest: PlacedEvent | null): number | null {
  if (!newest || !isStatusOnly(newest)) return newest?.id ?? null;
  const ofAgent = newestErrorOfAgentSince(db, check, startedAt);
  const first = ofAgent && turnAt(db, check, startedAt).error;
  // An error before the first one belongs to an earlier failure that ended in this second.
  return ofAgent && !(first && isBehind(first, ofAgent)) ? ofAgent.id : newest.id;
}

/**
 * Updates the intervals and the active error of a check after a point at `date` was added.
 * @param incarnation the agent's current incarnation, stored with an open interval
 */
export function updateIntervals(db: Db, check: Check, date: number, incarnation: number): FailureChange {
  const newest = intervalBefore(db, check, MAX_UNIX_TIME);
  const isLate = newest !== null && newest.startedAt > date;
  const before = isLate ? intervalBefore(db, check, date) : newest;
  const lasting = before && (before.endedAt === null || before.endedAt > date) ? before : null;
  const { removed, added } = replacementAt(db, check, date, lasting, isLate);
  const previous = newest?.endedAt === null ? newest : null;
  const isReplaced = removed.some(({ startedAt }) => startedAt === previous?.startedAt);
  const bounds = added.find(({ endedAt }) => endedAt === null) ?? (isReplaced ? null : previous);
  const newestError = bounds && newestErrorSince(db, check, bounds.startedAt);
  const collectedSec = newestError?.collectedSec ?? previous?.clearCollectedSec ?? 0;
  // Every point of the check restarts the count towards a recovery without an event.
  const renewed = previous && !isReplaced ? [previous] : [];
  for (const { startedAt } of [...removed, ...renewed]) deleteInterval(db, { ...check, startedAt });
  for (const interval of [...added, ...renewed])
    insertInterval(db, intervalOf(check, { ...interval, collectedSec }, incarnation));
  const open = bounds && {
    startedAt: bounds.startedAt,
    errorId: errorOf(db, check, bounds.startedAt, newestError),
  };
  const active = previous && activeErrorSince(db, check, previous.startedAt);
  // The user may have acted on a failure that, as is now known, had already ended. The open failure is a new one.
  const isCovered = isCoveredBy(db, check, lasting?.endedAt === null ? lasting.startedAt : null);
  const isDismissalLost =
    open !== null && !!active?.dismissed && !isCovered(active.dismissedFrom, active, open);
  const isAcknowledgementLost =
    open !== null && !!active?.acknowledged && !isCovered(active.acknowledgedFrom, active, open);
  if (isDismissalLost) undismissFrom(db, check, open.startedAt);
  const errors = active ? [active] : [];
  markActive(db, { hostId: check.hostId, errors, open, date }, isCovered);
  const isLater = lasting?.endedAt === null && open !== null && open.startedAt > lasting.startedAt;
  return {
    open: bounds && openFailure(check, bounds.startedAt, collectedSec, incarnation),
    isSplit: isLater || isDismissalLost || isAcknowledgementLost,
  };
}

function openFailure(
  { hostId, nameId, eventType, limitId }: Check,
  startedAt: number,
  clearCollectedSec: number,
  incarnation: number,
): OpenFailure {
  const fresh = { incarnation, clearCount: 0, clearSince: 0, clearCollectedSec };
  return { hostId, nameId, eventType, limitId, startedAt, ...fresh };
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
   * @param at now or earlier, unix seconds
   * @returns the failure that is open now
   */
  update(check: Check, date: number, incarnation: number, at = date): OpenFailure | null {
    const { open, isSplit } = updateIntervals(this.db, check, date, incarnation);
    if (!open || isSplit) this.onFailureEnded(check, at);
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
    const startedAt = within?.startedAt ?? date;
    const open: OpenSpan | null = state === ERROR ? { startedAt, errorId: null } : null;
    const id = store(open !== null, dismissalOf(errors, open, isSameFailure));
    if (open) open.errorId = id;
    const interval = intervalOf(event, { startedAt, endedAt: open ? null : date, collectedSec }, incarnation);
    // A failure that begins and ends in the same second does not count.
    if (within && !open && startedAt === date) deleteInterval(db, interval);
    else if (within) changeInterval(db, { ...interval, clearCount: 0, clearSince: 0 });
    else if (open) insertInterval(db, interval);
    unmark(db, { hostId, errors, open, date }, isSameFailure);
    if (!open) this.onFailureEnded(event, date);
    return { id, open: open && openFailure(event, startedAt, collectedSec, incarnation) };
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
    const newestError = newestErrorSince(this.db, open, open.startedAt)?.date ?? open.startedAt;
    const at = Math.max(date, newestError + 1);
    insertSilentRecovery(this.db, open, at);
    this.update(open, at, incarnation, date);
  }
}
