/** The moment in the past that screens show. It is in the address, so that a link can be sent to someone else. */
import { MOMENT_PATHS } from "../../src/monitoring/moment/moment-paths.ts";
import type { Address, Router } from "./router.ts";

/** Paths of reads with the argument `at`. */
const PATHS: ReadonlySet<string> = new Set([...MOMENT_PATHS, "/moment/get"]);

/** Whether a read answers for a past moment, too. */
export function takesMoment(path: string): boolean {
  return PATHS.has(path);
}

/** The end of the year 9999, the last time that the service takes, unix seconds. */
const LAST_TIME = 253_402_300_799;

/**
 * The time in an argument of an address, unix seconds; null if the argument is absent or not a time that dates have.
 */
export function timeIn(query: URLSearchParams, name: string): number | null {
  const at = Number(query.get(name));
  return Number.isInteger(at) && at > 0 && at <= LAST_TIME ? at : null;
}

/** The moment in an address, unix seconds; null: now. A wall always shows the present. */
export function momentIn({ query }: Address): number | null {
  return query.has("kiosk") ? null : timeIn(query, "at");
}

/** An address of the UI at a moment. @param path without a query @param more further arguments */
export function addressAt(path: string, at: number, more: Record<string, string | number> = {}): string {
  const query = Object.entries({ ...more, at }).map(([name, value]) => [name, String(value)]);
  return `${path}?${new URLSearchParams(query)}`;
}

/**
 * Shows a moment on the current page. From the present it is a new entry of the history, to which the back button
 * returns. @param at unix seconds; null, or the current time or later: now
 */
export function showMoment(router: Router, at: number | null, present: number): void {
  const { path, query } = router.address.peek();
  if (at === null || at >= present) router.setQuery({ at: null, play: null });
  else if (query.has("at")) router.setQuery({ at: String(at) });
  else router.go(addressAt(path, at, Object.fromEntries(query)));
}
