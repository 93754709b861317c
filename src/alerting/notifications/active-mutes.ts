import { matchesPlace } from "../../monitoring/places/place-filter.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Maintenance } from "../maintenance/maintenance.repository.ts";
import { nextWindow, windowAt } from "../maintenance/schedule.ts";
import type { EventSubject } from "../rules/event-filter.ts";
import { nextBeginning } from "../rules/local-time.ts";
import { type QuietHours, quietUntil } from "../rules/quiet-hours.ts";
import type { Rule } from "../rules/rules.repository.ts";
import type { Suppression } from "./decide.ts";

/**
 * Caches a function of time whose value is constant for a while, because time zone arithmetic is slow. Times
 * must be passed in ascending order.
 */
class CachedUntilChange<T> {
  #known: { value: T; at: number; until?: number } | undefined;

  constructor(
    private readonly compute: (at: number) => T,
    private readonly changesAfter: (at: number, value: T) => number,
  ) {}

  at(at: number): T {
    const known = this.#known;
    // Most values are needed at one time only: their end is computed when another time is asked for.
    if (known && known.at !== at) known.until ??= this.changesAfter(known.at, known.value);
    if (known && at < (known.until ?? Infinity)) return known.value;
    const value = this.compute(at);
    this.#known = { value, at };
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

/** What mutes notifications: maintenance and mutes of the host or service, and quiet hours of the rule. */
export class ActiveMutes {
  readonly #maintenance: { one: Maintenance; windows: CachedUntilChange<Interval | null> }[];
  /** Ends of the quiet hours, keyed by rule. */
  readonly #quiet = new Map<number, CachedUntilChange<number | null>>();

  constructor(maintenance: readonly Maintenance[]) {
    this.#maintenance = maintenance.map((one) => ({ one, windows: windowsOf(one) }));
  }

  /**
   * Of all that mutes notifications of a rule about an event at `at` (unix seconds), what ends last; null if
   * nothing does. Times must be passed in ascending order.
   */
  of(
    { id, quietHours }: Pick<Rule, "id" | "quietHours">,
    subject: EventSubject,
    at: number,
  ): Suppression | null {
    const quiet = this.#quiet.get(id) ?? endsOf(quietHours);
    this.#quiet.set(id, quiet);
    const until = quiet.at(at);
    let longest: Suppression | null = until === null ? null : { until, reason: "quiet hours" };
    for (const { one, windows } of this.#maintenance) {
      if (one.filter.ruleids?.includes(id) === false || !matchesPlace(one.filter, subject)) continue;
      const window = windows.at(at);
      if (window && isLonger(window, longest)) longest = { until: window.to, reason: reasonOf(one) };
    }
    return longest;
  }
}

function reasonOf({ name, mutedBy }: Maintenance): string {
  return mutedBy === null ? `maintenance "${name}"` : `muted by ${mutedBy}`;
}

/** At equal ends, maintenance is the reason rather than quiet hours, and the first by name. */
function isLonger({ to }: Interval, mute: Suppression | null): boolean {
  return mute === null || to > mute.until || (to === mute.until && mute.reason === "quiet hours");
}
