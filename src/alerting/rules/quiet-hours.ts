import { instantOf, type Recurrence, windowHolding } from "./local-time.ts";

/** Hours in which a rule is muted, from one time of day to another. */
export interface QuietHours extends Recurrence {
  /**
   * HH:MM. If it is before `from`, it is on the next day; if it equals `from`, the quiet hours last a whole
   * day.
   */
  to: string;
}

/** When the quiet hours that contain `at` (unix seconds) end; null if none do. */
export function quietUntil(hours: QuietHours, at: number): number | null {
  const { from, to, timezone } = hours;
  const nights = to <= from ? 1 : 0;
  const window = windowHolding(hours, at, 1, (date) => instantOf(date.add({ days: nights }), to, timezone));
  return window?.to ?? null;
}
