/** Limits in words. */
import { minutesText, type Names, scopeText } from "../alerting/descriptions.ts";
import { counted, formatNumber, formatSpan } from "../text/format.ts";
import { numberOf } from "./numbers.ts";
import type { Limit, LimitPreview, NewLimit } from "./types.ts";

/** "90 %". */
export function boundText(limit: NewLimit, value: number): string {
  const { unit } = numberOf(limit);
  return unit === "" ? formatNumber(value, 2) : `${formatNumber(value, 2)} ${unit}`;
}

function boundsText(limit: NewLimit): string {
  const { warning, critical, direction } = limit;
  const parts = [
    warning !== null && `${direction} ${boundText(limit, warning)}`,
    critical !== null && `critical ${direction} ${boundText(limit, critical)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** "Disk space used above 90 %, critical above 95 % for at least 10 minutes, on hosts in Oslo". */
export function limitText(limit: NewLimit, names: Names): string {
  const { filter, minutes } = limit;
  const hosts = filter.hostnames?.length ? `hosts named ${filter.hostnames.join(", ")}` : null;
  const where = [scopeText(filter, names), hosts].filter(Boolean).join(", ");
  const held = minutes > 0 ? ` for at least ${minutesText(minutes)}` : "";
  return `${numberOf(limit).label} ${boundsText(limit)}${held}. Applies to ${where}.`;
}

/** How many failures a limit has open. */
export function openText({ warnings, criticals }: Limit): string {
  const parts = [criticals > 0 && `${criticals} critical`, warnings > 0 && counted(warnings, "warning")];
  return parts.filter(Boolean).join(", ") || "none";
}

/** "Would have warned 14 times in 7 days, longest 2 h, on 3 of 20 hosts." */
export function previewText(preview: LimitPreview, days: number): string {
  const { total, criticals, longest, affected, hosts, services } = preview;
  if (services === 0) return "No host reports such a number where this limit applies.";
  const period = counted(days, "day");
  if (total === 0) return `Would not have warned in ${period}, on ${counted(hosts, "host")}.`;
  const worst = criticals > 0 ? `, ${formatNumber(criticals, 0)} of them critical` : "";
  return `Would have warned ${counted(total, "time")} in ${period}${worst}, longest ${formatSpan(longest)}, on ${affected} of ${counted(hosts, "host")}.`;
}
