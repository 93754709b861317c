/** Made series that follow known laws, for forecasts. */
import { WINDOW_DAYS } from "../../../src/monitoring/forecast/forecast.ts";
import { Random } from "../../support/random.ts";

const HOURS = WINDOW_DAYS * 24;

/** The value at a time in days from now, negative in the past; NaN where there is none. */
export type Law = (day: number) => number;

/** A law that reaches 100 in seven days. */
export function linear(perDay: number): Law {
  return (day) => 100 + perDay * (day - 7);
}

export function withRhythm(law: Law, height: number): Law {
  return (day) => law(day) - height + height * Math.sin(2 * Math.PI * day);
}

/** A law that was higher by `drop` before a day. */
export function withDeletion(law: Law, at: number, drop: number): Law {
  return (day) => law(day) + (day < at ? drop : 0);
}

/** A law without values where `isMissing`. */
export function withGaps(law: Law, isMissing: (day: number) => boolean): Law {
  return (day) => (isMissing(day) ? Number.NaN : law(day));
}

/** Grows from `low` to `high` over `days` and drops. @param phase share of the growth that is over now */
export function sawtooth(days: number, low: number, high: number, phase: number): Law {
  return (day) => {
    const turns = day / days + phase;
    return low + (high - low) * (turns - Math.floor(turns));
  };
}

/** About normal, with deviation 1. */
function normal(random: Random): number {
  return Array.from({ length: 12 }, () => random.fraction()).reduce((sum, n) => sum + n, -6);
}

/** The hours up to now as an agent reports them, in tenths of a percent. @param noise standard deviation */
export function hourly(law: Law, noise = 0, seed = 1): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: HOURS }, (_, i) => {
    const value = law((i - HOURS + 1) / 24) + noise * normal(random);
    return Math.round(10 * Math.min(100, Math.max(0, value))) / 10;
  });
}

/** Days until a law first reaches 100. */
export function truth(law: Law): number {
  for (let hour = 0; hour < 24 * 365; hour++) if (law(hour / 24) >= 100) return hour / 24;
  return Number.POSITIVE_INFINITY;
}
