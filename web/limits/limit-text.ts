/** Limits in words. */
import { minutesText, type Names, scopeText } from "../alerting/descriptions.ts";
import { formatNumber } from "../text/format.ts";
import { LIMIT_SENTENCES as SENTENCES } from "./limits.texts.ts";
import { metricOf } from "./metrics.ts";
import type { Limit, LimitPreview, NewLimit } from "./types.ts";

/** The most decimals of a limit's bounds: as many as anyone types. */
const BOUND_DECIMALS = 6;

/** A value of the metric of a limit: "90 %". @param decimals at most */
export function metricText(limit: NewLimit, value: number, decimals = 2): string {
  const { unit, scale } = metricOf(limit);
  const number = formatNumber(value / scale, decimals);
  return unit === "" ? number : `${number} ${unit}`;
}

function boundText(limit: NewLimit, bound: number): string {
  return metricText(limit, bound, BOUND_DECIMALS);
}

function boundsText(limit: NewLimit): string {
  const { warning, critical, direction } = limit;
  const { label } = metricOf(limit);
  const texts = SENTENCES[direction];
  if (warning === null) return critical === null ? "" : texts.critical(label, boundText(limit, critical));
  if (critical === null) return texts.warning(label, boundText(limit, warning));
  return texts.both(label, boundText(limit, warning), boundText(limit, critical));
}

/** "Disk space used above 90 %, critical above 95 %. For at least 10 min. Host groups: Oslo." */
export function limitText(limit: NewLimit, names: Names): string {
  const { filter, minutes } = limit;
  const hostNames = filter.hostnames?.length ? [SENTENCES.hostsNamed(filter.hostnames.join(", "))] : [];
  const sentences = [
    boundsText(limit),
    minutes > 0 && SENTENCES.held(minutesText(minutes)),
    scopeText(filter, names, hostNames),
  ];
  return sentences.filter(Boolean).join(" ");
}

/** How many failures a limit has open. */
export function openText({ warnings, criticals }: Limit): string {
  const parts = [
    criticals > 0 && SENTENCES.critical(criticals),
    warnings > 0 && SENTENCES.warnings(warnings),
  ];
  return parts.filter(Boolean).join(", ") || SENTENCES.none;
}

/** "Would have warned 14 times in 7 days, longest 2 h, on 3 of 20 hosts." */
export function previewText(preview: LimitPreview, days: number): string {
  const { total, criticals, longest, affected, hosts, services } = preview;
  if (services === 0) return SENTENCES.noneReports;
  if (total === 0) return SENTENCES.wouldNot(days, hosts);
  const would = SENTENCES.would(total, days, longest, affected, hosts);
  return criticals > 0 ? `${would} ${SENTENCES.wouldCritical(criticals)}` : would;
}
