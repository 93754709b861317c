/**
 * The wall clock of a time zone in integers. Temporal takes about 100 us for conversions that calendars need
 * thousands of times.
 */
import { DAY } from "../../platform/clock.ts";

/** A time in which the offset of a zone does not change, unix seconds. */
interface Segment {
  from: number;
  to: number;
  /** Seconds that the wall clock is ahead of UTC. */
  offset: number;
}

function secondsOf(time: Temporal.ZonedDateTime | null): number | null {
  return time && Math.ceil(time.epochMilliseconds / 1000);
}

function segmentHolding(at: number, timezone: string): Segment {
  const zoned = (seconds: number) =>
    Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(timezone);
  return {
    // A change at `at` itself counts as previous.
    from: secondsOf(zoned(at + 1).getTimeZoneTransition("previous")) ?? -Infinity,
    to: secondsOf(zoned(at).getTimeZoneTransition("next")) ?? Infinity,
    offset: zoned(at).offsetNanoseconds / 1e9,
  };
}

/** Converts between unix seconds and the wall clock, which is counted as if it were UTC. */
export class Zone {
  readonly #segments: Segment[] = [];

  /** @param timezone IANA name */
  constructor(private readonly timezone: string) {}

  /** What the wall clock shows at a time, unix seconds. */
  wallAt(at: number): number {
    return at + this.#segment(at).offset;
  }

  /**
   * When the wall clock shows a time, unix seconds. A time that occurs twice means the first occurrence; one that is
   * skipped means the moment of the change. Equal to `instantOf` of platform/local-time.ts.
   */
  instantOf(wall: number): number {
    // No wall clock is a day ahead of UTC, so this is before the instant.
    let segment = this.#segment(wall - DAY);
    while (wall - segment.offset >= segment.to) segment = this.#segment(segment.to);
    return Math.max(wall - segment.offset, segment.from);
  }

  #segment(at: number): Segment {
    let segment = this.#segments.find(({ from, to }) => from <= at && at < to);
    if (!segment) {
      segment = segmentHolding(at, this.timezone);
      this.#segments.push(segment);
    }
    return segment;
  }
}

/** A date and a time of day as the wall clock shows them. @param date YYYY-MM-DD @param time HH:MM */
export function wallTime(date: string, time: string): number {
  return Date.parse(`${date}T${time}Z`) / 1000;
}

/** Seconds since midnight. @param time HH:MM */
export function secondsOfDay(time: string): number {
  return wallTime("1970-01-01", time);
}

/** Days from 1970-01-01 to the date that the wall clock shows. */
export function dayOf(wall: number): number {
  return Math.floor(wall / DAY);
}

/** 0 Sunday to 6 Saturday. @param day days since 1970-01-01, a Thursday */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}
