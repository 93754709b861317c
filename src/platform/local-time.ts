/** Local dates and times, by IANA names of time zones. Pure functions. */

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
