import { matchesPlace } from "../../monitoring/places/place-filter.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Maintenance } from "../maintenance/maintenance.repository.ts";
import { nextWindow, windowAt } from "../maintenance/schedule.ts";
import type { EventSubject } from "../rules/event-filter.ts";
import { type QuietHours, quietUntil } from "../rules/quiet-hours.ts";
import { nextBeginning } from "../rules/recurrence.ts";
import type { Rule } from "../rules/rules.repository.ts";
import type { Suppression } from "./decide.ts";

/**
 * Caches a function of time whose value is constant for a while, because time zone arithmetic is slow. Times
 * must be passed in ascending order.
 */
class CachedUntilChange<T> {
  #cached: { value: T; at: number; until?: number } | undefined;

  constructor(
    private readonly compute: (at: number) => T,
    private readonly changesAfter: (at: number, value: T) => number,
  ) {}

  at(at: number): T {
    const cached = this.#cached;
    // Most values are needed at one time only, so their end is computed when another time is asked for.
    if (cached && cached.at !== at) cached.until ??= this.changesAfter(cached.at, cached.value);
    if (cached && at < (cached.until ?? Infinity)) return cached.value;
    const value = this.compute(at);
    this.#cached = { value, at };
    return value;
  }
}

function windowsOf({ schedule }: Maintenance): CachedUntilChange<Interval | null> {
  return new CachedUntilChange(
    (at) => windowAt(schedule, at),
    (at, window) => Math.min(window?.to ?? Infinity, nextWindow(schedule, at) ?? Infinity),
  );
}

function endsOf(hours: QuietHours | null): CachedUntilChange<number | null> {
  return new CachedUntilChange(
    (at) => hours && quietUntil(hours, at),
    (at, until) => until ?? (hours && nextBeginning(hours, at)) ?? Infinity,
  );
}

/** The reason of quiet hours, as users read it. */
export const QUIET_HOURS = "quiet hours";

/** What mutes notifications: maintenance and mutes of the host or service, and quiet hours of the rule. */
export class ActiveMutes {
  readonly #cached: { maintenance: Maintenance; windows: CachedUntilChange<Interval | null> }[];
  /** Ends of the quiet hours, keyed by rule. */
  readonly #quiet = new Map<number, CachedUntilChange<number | null>>();

  /** @param enabled maintenance and mutes */
  constructor(enabled: readonly Maintenance[]) {
    this.#cached = enabled.map((maintenance) => ({ maintenance, windows: windowsOf(maintenance) }));
  }

  /**
   * The last to end of everything that mutes notifications of a rule about an event at `at` (unix seconds); null if
   * nothing does. Times must be passed in ascending order.
   */
  of(
    { id, filter: { about }, quiet: hours }: Pick<Rule, "id" | "filter" | "quiet">,
    subject: EventSubject,
    at: number,
  ): Suppression | null {
    const quiet = this.#quiet.get(id) ?? endsOf(hours);
    this.#quiet.set(id, quiet);
    const until = quiet.at(at);
    let longest: Suppression | null = until === null ? null : { until, reason: QUIET_HOURS };
    for (const { maintenance, windows } of this.#cached) {
      const { filter } = maintenance;
      // A failure of Muster itself is not about a service, so not even "*" covers it.
      const isOfOthers = about === "muster" && filter.servicenames !== undefined;
      if (isOfOthers || filter.rules?.includes(id) === false || !matchesPlace(filter, subject)) continue;
      const window = windows.at(at);
      if (window && isLonger(window, longest)) longest = { until: window.to, reason: reasonOf(maintenance) };
    }
    return longest;
  }
}

function reasonOf({ name, mutedBy }: Maintenance): string {
  return mutedBy === null ? `maintenance "${name}"` : `muted by ${mutedBy}`;
}

/**
 * Whether a window is the reason in place of an earlier one: it ends later, or at the same time as quiet hours. Of two
 * that end at the same time, the first by name stays.
 */
function isLonger({ to }: Interval, mute: Suppression | null): boolean {
  return mute === null || to > mute.until || (to === mute.until && mute.reason === QUIET_HOURS);
}
