import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { type EventSubject, matchesPlace } from "../rules/event-filter.ts";
import type { Maintenance } from "./maintenance.repository.ts";

/** A maintenance window that mutes notifications about an event. */
export interface MaintenanceMute {
  /** Unix seconds. */
  until: number;
  /** Name of the maintenance. */
  name: string;
}

/**
 * The open maintenance window that covers the event's host or service at `at` (unix seconds); of several, the
 * one that ends last. Null if there is none.
 * @param windowOf the window of a maintenance that contains `at`. Called for every event: pass a memoized
 *   function.
 */
export function maintenanceMuteAt<M extends Pick<Maintenance, "name" | "filter">>(
  maintenance: readonly M[],
  subject: EventSubject,
  at: number,
  windowOf: (one: M) => Interval | null,
): MaintenanceMute | null {
  let longest: MaintenanceMute | null = null;
  for (const one of maintenance) {
    if (!matchesPlace(one.filter, subject)) continue;
    const window = windowOf(one);
    if (window && window.to > (longest?.until ?? at)) longest = { until: window.to, name: one.name };
  }
  return longest;
}
