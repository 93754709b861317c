/** Why nobody is told of something now: quiet hours of its rule, or maintenance of its place. Pure. */
import type { Mute } from "./decide.ts";

/**
 * Of quiet hours and maintenance the one that ends last; null when there is neither.
 * @param quiet when the quiet hours end, unix seconds; null when there are none now
 */
export function longerOf(
  quiet: number | null,
  maintenance: { until: number; name: string } | null,
): Mute | null {
  if (maintenance && maintenance.until >= (quiet ?? 0))
    return { until: maintenance.until, reason: `maintenance "${maintenance.name}"` };
  return quiet === null ? null : { until: quiet, reason: "quiet hours" };
}
