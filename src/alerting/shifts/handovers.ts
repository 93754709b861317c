/** When someone else comes on call. Pure functions. */
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { type OnCallSchedule, type Override, shiftsIn } from "../on-call/rotation.ts";

/** A time during which one person, or nobody, is on call: shifts of one person in a row count as one. */
export interface OnCallTurn extends Interval {
  /** Null: nobody is on call. */
  userId: number | null;
}

/** The moment at which someone goes off call, and someone else comes on. Null stands for nobody. */
export interface Handover {
  /** Unix seconds. */
  at: number;
  leaves: number | null;
  comes: number | null;
}

/** The turns of a span, in order and without a break; those at its ends may last longer. */
export function turnsIn(
  schedule: OnCallSchedule,
  overrides: readonly Override[],
  span: Interval,
): OnCallTurn[] {
  const turns: OnCallTurn[] = [];
  for (const { from, to, userId } of shiftsIn(schedule, overrides, span)) {
    const last = turns.at(-1);
    if (last?.userId === userId) last.to = to;
    else turns.push({ from, to, userId });
  }
  return turns;
}

/** The handovers of a span, in order. One in its first second is left out. */
export function handoversIn(
  schedule: OnCallSchedule,
  overrides: readonly Override[],
  span: Interval,
): Handover[] {
  const turns = turnsIn(schedule, overrides, span);
  return turns
    .slice(1)
    .map(({ from, userId }, i) => ({ at: from, leaves: turns[i]?.userId ?? null, comes: userId }));
}
