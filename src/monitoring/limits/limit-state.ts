/**
 * Decides when a limit is exceeded and when its value is back, value by value. Pure: ingest and the preview call the
 * same functions, in order of the time of receipt. A function that changes nothing returns the same object, so that
 * callers can compare identities.
 */
import { MINUTE } from "../../platform/clock.ts";
import { LIMIT_LEVEL, type LimitLevel } from "../health/health.ts";
import type { Limit } from "./limit.ts";

/** The fields of a limit that decide. Its times are minutes. */
export type Bounds = Pick<
  Limit,
  "direction" | "warning" | "critical" | "minutes" | "clearvalue" | "clearminutes" | "missing"
>;

/** The state of a limit with one service. Times are unix seconds of receipt. */
export interface LimitState {
  /** Level of the open failure. */
  readonly level: LimitLevel;
  /** Since when every value has exceeded the warning bound, or the critical one if there is no warning. */
  readonly warningSince: number | null;
  readonly criticalSince: number | null;
  /** While a failure is open: since when every value has been within its bounds again. */
  readonly clearSince: number | null;
  /** While a failure is critical: since when every value has been below critical. */
  readonly easedSince: number | null;
  /** While messages lack the value: when the last message with it was received. */
  readonly valueAt: number | null;
  /** Whether the value has been missing long enough. */
  readonly missing: boolean;
  /** Whether the failure is that there is no value. */
  readonly noData: boolean;
}

/** The state of a limit that is not exceeded and has no progress towards it. */
export const WITHIN_BOUNDS: LimitState = Object.freeze({
  level: LIMIT_LEVEL.none,
  warningSince: null,
  criticalSince: null,
  clearSince: null,
  easedSince: null,
  valueAt: null,
  missing: false,
  noData: false,
});

/** Written out, as it runs for every value that exceeds a limit. */
function isSame(a: LimitState, b: LimitState): boolean {
  return (
    a.level === b.level &&
    a.warningSince === b.warningSince &&
    a.criticalSince === b.criticalSince &&
    a.clearSince === b.clearSince &&
    a.easedSince === b.easedSince &&
    a.valueAt === b.valueAt &&
    a.missing === b.missing &&
    a.noData === b.noData
  );
}

/** The new state to keep: the old object if nothing changed, and `WITHIN_BOUNDS` if it is equal to that. */
function settled(before: LimitState, after: LimitState): LimitState {
  if (isSame(before, after)) return before;
  return isSame(after, WITHIN_BOUNDS) ? WITHIN_BOUNDS : after;
}

/** Whether a value is on the wrong side of a bound. */
export function isBeyond(
  { direction }: Pick<Bounds, "direction">,
  value: number,
  bound: number | null,
): boolean {
  return bound !== null && (direction === "below" ? value < bound : value > bound);
}

/** The bound that opens a failure: that of the warning, if there is one. */
export function firstBound({ warning, critical }: Pick<Bounds, "warning" | "critical">): number | null {
  return warning ?? critical;
}

/** Whether the value exceeds the limit at any level. */
export function exceeds(bounds: Bounds, value: number): boolean {
  return isBeyond(bounds, value, bounds.warning) || isBeyond(bounds, value, bounds.critical);
}

function lasts(since: number | null, at: number, seconds: number): boolean {
  return since !== null && at - since >= seconds;
}

/** The level of the failure, from the times since when values have been beyond the bounds or within them. */
function levelOf(bounds: Bounds, state: LimitState, at: number): LimitLevel {
  const { warning } = bounds;
  const hold = bounds.minutes * MINUTE;
  const clearAfter = bounds.clearminutes * MINUTE;
  const current = state.noData ? LIMIT_LEVEL.none : state.level;
  if (lasts(state.criticalSince, at, hold)) return LIMIT_LEVEL.critical;
  if (current === LIMIT_LEVEL.none)
    return warning !== null && lasts(state.warningSince, at, hold) ? LIMIT_LEVEL.warning : current;
  if (lasts(state.clearSince, at, clearAfter)) return LIMIT_LEVEL.none;
  const isEased = current === LIMIT_LEVEL.critical && warning !== null;
  return isEased && lasts(state.easedSince, at, clearAfter) ? LIMIT_LEVEL.warning : current;
}

/** The state after a message with a value. @param at when it was received */
export function withValue(bounds: Bounds, before: LimitState, value: number, at: number): LimitState {
  const isCritical = isBeyond(bounds, value, bounds.critical);
  const isExceeded = isCritical || isBeyond(bounds, value, bounds.warning);
  if (before === WITHIN_BOUNDS && !isExceeded) return WITHIN_BOUNDS;
  const isBack = !isBeyond(bounds, value, bounds.clearvalue ?? firstBound(bounds));
  const isOpen = before.level !== LIMIT_LEVEL.none && !before.noData;
  // If the clock was set back since, the time counts from now on.
  const since = (earlier: number | null) => Math.min(earlier ?? at, at);
  const state: LimitState = {
    level: before.level,
    warningSince: isExceeded ? since(before.warningSince) : null,
    criticalSince: isCritical ? since(before.criticalSince) : null,
    clearSince: isOpen && isBack ? since(before.clearSince) : null,
    easedSince: isOpen && !isCritical ? since(before.easedSince) : null,
    valueAt: null,
    missing: false,
    noData: before.noData,
  };
  const level = levelOf(bounds, state, at);
  const isClear = level === LIMIT_LEVEL.none;
  return settled(before, {
    ...state,
    level,
    clearSince: isClear ? null : state.clearSince,
    easedSince: level === LIMIT_LEVEL.critical ? state.easedSince : null,
    noData: false,
  });
}

/**
 * The state once the value counts as missing, or its host is down. Progress towards a failure or its end starts
 * again.
 */
export function withoutData(bounds: Bounds, before: LimitState): LimitState {
  if (before.missing) return before;
  const state = { ...WITHIN_BOUNDS, level: before.level, valueAt: before.valueAt, missing: true };
  if (bounds.missing === "clear") return WITHIN_BOUNDS;
  if (before.level !== LIMIT_LEVEL.none) return state;
  return bounds.missing === "warn" ? { ...state, level: LIMIT_LEVEL.warning, noData: true } : WITHIN_BOUNDS;
}

/**
 * The state of a value that was not awaited for a while, for example because the host was stopped. The time until it
 * counts as missing starts again.
 */
export function awaitedAnew(before: LimitState): LimitState {
  return before.missing || before.valueAt === null ? before : settled(before, { ...before, valueAt: null });
}

/**
 * The state after a message without the value.
 * @param at when it was received
 * @param lastAt when the previous message was received
 * @param patience seconds after which the value counts as missing
 */
export function withoutValue(
  bounds: Bounds,
  before: LimitState,
  at: number,
  lastAt: number,
  patience: number,
): LimitState {
  if (before.missing || (before === WITHIN_BOUNDS && bounds.missing !== "warn")) return before;
  const valueAt = Math.min(before.valueAt ?? lastAt, at);
  const state = before.valueAt !== valueAt ? { ...before, valueAt } : before;
  return at - valueAt > patience ? withoutData(bounds, state) : state;
}
