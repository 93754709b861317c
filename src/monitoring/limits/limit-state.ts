/**
 * Decides when a limit is passed and when it is kept again, value by value. Pure: ingest and the preview feed
 * the same functions, in order of the time of receipt. A function that changes nothing returns the state that it
 * was given, so that callers compare identities.
 */
import { LIMIT_LEVEL, type LimitLevel } from "../health/health.ts";
import type { Limit } from "./limit.ts";

const MINUTE = 60;

/** The part of a limit that decides. Its times are minutes. */
export type Bounds = Pick<
  Limit,
  "direction" | "warning" | "critical" | "minutes" | "clearvalue" | "clearminutes" | "missing"
>;

/** Where a limit stands with one service. Times are unix seconds of receipt. */
export interface LimitState {
  /** Of the open failure. */
  readonly level: LimitLevel;
  /** Since when every value passed the warning value, or the critical one if there is no other. */
  readonly warningSince: number | null;
  readonly criticalSince: number | null;
  /** While a failure is open: since when every value was back. */
  readonly clearSince: number | null;
  /** While a failure is critical: since when no value was. */
  readonly easedSince: number | null;
  /** While messages come without the value: when the last one with it came. */
  readonly valueAt: number | null;
  /** Whether the value has been missing long enough. */
  readonly missing: boolean;
  /** Whether the failure is that there is no value. */
  readonly noData: boolean;
}

/** The state of a limit that nothing has to be known of. */
export const KEPT: LimitState = Object.freeze({
  level: LIMIT_LEVEL.none,
  warningSince: null,
  criticalSince: null,
  clearSince: null,
  easedSince: null,
  valueAt: null,
  missing: false,
  noData: false,
});

/** Written out, since every value that passes a limit is compared with the one before. */
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

/** The new state as it is kept: the old one if nothing changed, and `KEPT` if there is nothing to remember. */
function settled(before: LimitState, after: LimitState): LimitState {
  if (isSame(before, after)) return before;
  return isSame(after, KEPT) ? KEPT : after;
}

function isBeyond({ direction }: Bounds, value: number, bound: number | null): boolean {
  return bound !== null && (direction === "below" ? value < bound : value > bound);
}

/** The value whose passing opens a failure: that of the warning, if there is one. */
export function firstBound({ warning, critical }: Pick<Bounds, "warning" | "critical">): number | null {
  return warning ?? critical;
}

/** Whether the value passes the limit at any level. */
export function passes(bounds: Bounds, value: number): boolean {
  return isBeyond(bounds, value, bounds.warning) || isBeyond(bounds, value, bounds.critical);
}

function lasts(since: number | null, at: number, seconds: number): boolean {
  return since !== null && at - since >= seconds;
}

/** The level of the failure, given since when values have been beyond the bounds or back. */
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

/** A message came with a value. @param at when it was received */
export function withValue(bounds: Bounds, before: LimitState, value: number, at: number): LimitState {
  const isCritical = isBeyond(bounds, value, bounds.critical);
  const isPassed = isCritical || isBeyond(bounds, value, bounds.warning);
  if (before === KEPT && !isPassed) return KEPT;
  const isBack = !isBeyond(bounds, value, bounds.clearvalue ?? firstBound(bounds));
  const isOpen = before.level !== LIMIT_LEVEL.none && !before.noData;
  const state: LimitState = {
    level: before.level,
    warningSince: isPassed ? (before.warningSince ?? at) : null,
    criticalSince: isCritical ? (before.criticalSince ?? at) : null,
    clearSince: isOpen && isBack ? (before.clearSince ?? at) : null,
    easedSince: isOpen && !isCritical ? (before.easedSince ?? at) : null,
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
 * The value has been missing for so long that it counts as missing, or its host is down.
 * @returns the state from then on: what was on its way to a failure or to its end begins anew
 */
export function withoutData(bounds: Bounds, before: LimitState): LimitState {
  if (before.missing) return before;
  const state = { ...KEPT, level: before.level, valueAt: before.valueAt, missing: true };
  if (bounds.missing === "clear") return KEPT;
  if (before.level !== LIMIT_LEVEL.none) return state;
  return bounds.missing === "warn" ? { ...state, level: LIMIT_LEVEL.warning, noData: true } : KEPT;
}

/**
 * A message came without the value.
 * @param at when it was received @param lastAt when the message before it was
 * @param patience seconds after which the value counts as missing
 */
export function withoutValue(
  bounds: Bounds,
  before: LimitState,
  at: number,
  lastAt: number,
  patience: number,
): LimitState {
  if (before.missing || (before === KEPT && bounds.missing !== "warn")) return before;
  const valueAt = before.valueAt ?? lastAt;
  const state = before.valueAt === null ? { ...before, valueAt } : before;
  return at - valueAt > patience ? withoutData(bounds, state) : state;
}
