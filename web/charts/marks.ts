/** What is marked on charts besides the values: events, and maintenance. Pure functions. */
import { matchesTags } from "../../src/monitoring/tags/tag.ts";
import type { Maintenance, Schedule } from "../alerting/types.ts";
import type { TimeSpan } from "./range.ts";

export interface Marks {
  /** Events: unix seconds, and 0 success, 1 error, 2 change. */
  events: readonly { at: number; state: number }[];
  maintenance: readonly TimeSpan[];
}

export const NO_MARKS: Marks = { events: [], maintenance: [] };

const DAY = 86_400;
const MINUTE = 60;

/** How far the clocks of a time zone are ahead of UTC at a time, seconds. */
function offsetAt(timezone: string, at: number): number {
  const options = { timeZone: timezone, hourCycle: "h23", dateStyle: "short", timeStyle: "medium" } as const;
  const text = new Intl.DateTimeFormat("sv-SE", options).format(at * 1000);
  return Date.parse(`${text.replace(" ", "T")}Z`) / 1000 - at;
}

/** The times of a weekly schedule that overlap a span. */
function weeklySpans(
  { days, from, minutes, timezone }: Extract<Schedule, { kind: "weekly" }>,
  span: TimeSpan,
) {
  const [hours = 0, past = 0] = from.split(":").map(Number);
  const length = minutes * MINUTE;
  const spans: TimeSpan[] = [];
  const firstDay = Math.floor((span.from - length) / DAY) - 1;
  for (let day = firstDay; day * DAY <= span.to + DAY; day++) {
    // 1970-01-01 was a Thursday.
    if (!days.includes((((day + 4) % 7) + 7) % 7)) continue;
    const local = day * DAY + hours * 3600 + past * MINUTE;
    const start = local - offsetAt(timezone, local);
    spans.push({ from: start, to: start + length });
  }
  return spans;
}

/** The times of a maintenance that overlap a span. */
export function maintenanceSpans(schedule: Schedule, span: TimeSpan): TimeSpan[] {
  const all =
    schedule.kind === "once" ? [{ from: schedule.from, to: schedule.to }] : weeklySpans(schedule, span);
  return all.filter(({ from, to }) => to > span.from && from < span.to);
}

interface Place {
  hostId: number;
  /** Groups of the host. */
  groupIds: readonly number[];
  /** Tags of the host. */
  tags: readonly string[];
  /** Name of the service; null for the whole host. */
  service: string | null;
}

function matchesName(pattern: string, name: string): boolean {
  const escaped = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "i").test(name);
}

/** Whether a maintenance applies to all of what a page shows. */
export function applies(
  { enabled, filter }: Maintenance,
  { hostId, groupIds, tags, service }: Place,
): boolean {
  const { hostids, hostgroupids, servicenames } = filter;
  if (!enabled) return false;
  if (hostids && !hostids.includes(hostId)) return false;
  if (hostgroupids && !hostgroupids.some((id) => groupIds.includes(id))) return false;
  if (filter.tags && !matchesTags(filter.tags, tags)) return false;
  return !servicenames || (service !== null && servicenames.some((name) => matchesName(name, service)));
}
