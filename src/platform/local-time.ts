/** Local dates and times, by IANA names of time zones. Pure functions. */

/** Whether a text is a date of the calendar, as in 2026-10-25. */
export function isDate(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch (error) {
    if (error instanceof RangeError) return false; // no such day, as 2026-02-30
    throw error;
  }
}

/**
 * Converts local time to unix seconds. A time that occurs twice, when clocks go back, means the first
 * occurrence. A time that is skipped, when clocks go forward, means the moment of the change.
 */
export function instantOf(date: Temporal.PlainDate, time: string, timezone: string): number {
  const wallTime = date.toPlainDateTime(Temporal.PlainTime.from(time));
  const zoned = wallTime.toZonedDateTime(timezone, { disambiguation: "earlier" });
  const exists = zoned.toPlainDateTime().equals(wallTime);
  const at = exists ? zoned : (zoned.getTimeZoneTransition("next") ?? zoned);
  return Math.floor(at.epochMilliseconds / 1000);
}

/** The local date at a moment. @param at unix seconds */
export function dateAt(at: number, timezone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at * 1000)
    .toZonedDateTimeISO(timezone)
    .toPlainDate();
}
