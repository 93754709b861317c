import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { type EventSubject, matchesPlace } from "../rules/event-filter.ts";
import type { Maintenance } from "./maintenance.repository.ts";

/** Why nobody is told of an event now. */
export interface Mute {
  /** Unix seconds. */
  until: number;
  /** Of the maintenance. */
  name: string;
}

/**
 * The maintenance of the event's place at `at` (unix seconds) that ends last; null when there is none.
 * @param windowOf the window of a maintenance that `at` is in: asked for every event, so it is worth remembering
 */
export function muteAt<M extends Pick<Maintenance, "name" | "filter">>(
  maintenance: readonly M[],
  subject: EventSubject,
  at: number,
  windowOf: (one: M) => Interval | null,
): Mute | null {
  let longest: Mute | null = null;
  for (const one of maintenance) {
    if (!matchesPlace(one.filter, subject)) continue;
    const window = windowOf(one);
    if (window && window.to > (longest?.until ?? at)) longest = { until: window.to, name: one.name };
  }
  return longest;
}
