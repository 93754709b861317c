import { zonedParts } from "../../src/platform/date-text.ts";

/** The time zone of the browser, an IANA name. */
export const browserTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Value of a datetime-local input for a unix time. @param timeZone an IANA name */
export function toZonedInput(at: number, timeZone: string): string {
  const { date, minute } = zonedParts(at, timeZone);
  return `${date}T${minute}`;
}

/**
 * Unix time of the value of a datetime-local input; null when it is empty, or before 1970 because its year is being
 * typed. If the time occurs twice, as when clocks go back, it is one of the two.
 */
export function fromZonedInput(text: string, timeZone: string): number | null {
  const asUtc = (value: string) => Date.parse(`${value}Z`) / 1000;
  const wallTime = asUtc(text);
  if (Number.isNaN(wallTime) || wallTime < 0) return null;
  const nextGuess = (at: number) => at + wallTime - asUtc(toZonedInput(at, timeZone));
  // The first step can cross a change of the clocks.
  return nextGuess(nextGuess(wallTime));
}
