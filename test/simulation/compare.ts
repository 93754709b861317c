/** Shared by all checks: compares stored with expected rows, and knows what retention still keeps. */
import { DAY } from "./plan.ts";
import type { World } from "./world.ts";

/** Rows older than this may or may not exist any more, unix seconds. */
export function keptSince(world: World): number {
  const { eventDays } = world.administrators;
  return eventDays === null ? 0 : world.now() - eventDays * DAY;
}

export function compare(
  world: World,
  what: string,
  stored: Iterable<string>,
  expected: Iterable<string>,
): void {
  const [have, want] = [new Set(stored), new Set(expected)];
  const [extra] = have.difference(want);
  const [missing] = want.difference(have);
  if (extra !== undefined) world.fail(`${what}: ${extra} is stored and should not be`);
  if (missing !== undefined) world.fail(`${what}: ${missing} is not stored and should be`);
}

/** A time in its two largest units, as in "2d 3h". */
export function inWords(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  const parts = [`${Math.floor(whole / DAY)}d`, `${hours}h`, `${minutes}m`, `${whole % 60}s`];
  const first = parts.findIndex((part) => !part.startsWith("0"));
  if (first < 0) return "0s";
  return parts
    .slice(first, first + 2)
    .filter((part) => !part.startsWith("0"))
    .join(" ");
}
