/** Combines what can mute a notification: quiet hours of the rule, and maintenance of the host or service. */
import type { Mute } from "./decide.ts";

/**
 * Of quiet hours and maintenance, the one that ends last; null if there is neither.
 * @param quiet when the current quiet hours end, unix seconds; null outside of quiet hours
 */
export function activeMute(
  quiet: number | null,
  maintenance: { until: number; name: string } | null,
): Mute | null {
  if (maintenance && maintenance.until >= (quiet ?? 0))
    return { until: maintenance.until, reason: `maintenance "${maintenance.name}"` };
  return quiet === null ? null : { until: quiet, reason: "quiet hours" };
}
