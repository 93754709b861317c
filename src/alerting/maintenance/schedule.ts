/** Schedules of maintenance. Pure functions; times are unix seconds. */
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { nextBeginning, type Recurrence, windowHolding } from "../rules/recurrence.ts";

/** `minutes` are elapsed time: a change to or from daylight saving time does not alter the length. */
export type MaintenanceSchedule =
  | { kind: "once"; from: number; to: number }
  | ({ kind: "weekly"; minutes: number } & Recurrence);

const MINUTES_PER_DAY = 1440;

/** The window that contains `at`; null if none does. */
export function windowAt(schedule: MaintenanceSchedule, at: number): Interval | null {
  if (schedule.kind === "once") {
    const { from, to } = schedule;
    return from <= at && at < to ? { from, to } : null;
  }
  const { minutes } = schedule;
  const days = Math.ceil(minutes / MINUTES_PER_DAY);
  return windowHolding(schedule, at, days, (_date, from) => from + minutes * 60);
}

/** When the next window after `at` begins; null if there is none. */
export function nextWindow(schedule: MaintenanceSchedule, at: number): number | null {
  if (schedule.kind === "weekly") return nextBeginning(schedule, at);
  return schedule.from > at ? schedule.from : null;
}

/**
 * The windows that overlap a span, in order of their beginning.
 * @param limit how many at most; later ones are left out
 */
export function windowsWithin(
  schedule: MaintenanceSchedule,
  { from, to }: Interval,
  limit: number,
): Interval[] {
  const windows: Interval[] = [];
  let at: number | null = from;
  while (at !== null && at < to && windows.length < limit) {
    const window = windowAt(schedule, at);
    if (window) windows.push(window);
    at = window ? window.to : nextWindow(schedule, at);
  }
  return windows;
}
