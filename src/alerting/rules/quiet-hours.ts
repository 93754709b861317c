import { instantOf, type Recurrence, windowHolding } from "./local-time.ts";

/** When a rule tells nobody: from a time of day to another one, on or after the day on which they begin. */
export interface QuietHours extends Recurrence {
  /** HH:MM. At or before `from` it is the time of the next day; the same time is a whole day. */
  to: string;
}

/** When the quiet hours end that `at` (unix seconds) is in; null when it is in none. */
export function quietUntil(hours: QuietHours, at: number): number | null {
  const { from, to, timezone } = hours;
  const nights = to <= from ? 1 : 0;
  const window = windowHolding(hours, at, 1, (date) => instantOf(date.add({ days: nights }), to, timezone));
  return window?.to ?? null;
}
