import { instantOf } from "../../platform/local-time.ts";
import { windowHolding } from "./recurrence.ts";
import type { RuleContent } from "./rules.schemas.ts";

/** Hours in which a rule is muted, from one time of day to another: a whole day if the two are the same. */
export type QuietHours = Required<NonNullable<RuleContent["quiet"]>>;

/** When the quiet hours that contain `at` (unix seconds) end; null if none do. */
export function quietUntil(hours: QuietHours, at: number): number | null {
  const { from, to, timezone } = hours;
  const nights = to <= from ? 1 : 0;
  const window = windowHolding(hours, at, 1, (date) => instantOf(date.add({ days: nights }), to, timezone));
  return window?.to ?? null;
}
