/** Who is on call when. Pure functions; times are unix seconds. */
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { instantOf, nextBeginning, type Recurrence, windowHolding } from "../rules/local-time.ts";

/** Hours of the week in which a rotation is on duty: like quiet hours, in the time zone of the schedule. */
export interface DutyHours {
  /** Weekdays on which they begin: 0 Sunday to 6 Saturday. */
  days: number[];
  /** HH:MM. */
  from: string;
  /** HH:MM; at or before `from`: on the next day. */
  to: string;
}

/** People who take turns. */
export interface Rotation {
  name: string;
  /** Ids of users, in the order of their turns. */
  users: number[];
  /** Date of the first turn, YYYY-MM-DD. Nobody is on duty before. */
  start: string;
  /** Time of day at which the first turn begins, HH:MM. */
  handover: string;
  /** A turn lasts `every` of these. */
  unit: "hour" | "day" | "week";
  every: number;
  /** Null: around the clock. */
  hours: DutyHours | null;
}

/** Of several rotations, the first one that is on duty counts. */
export interface Schedule {
  /** IANA name. */
  timezone: string;
  rotations: Rotation[];
}

/** Somebody is on call instead of the rotations. Of several, the one that was made last counts. */
export interface Override extends Interval {
  id: number;
  userId: number;
}

/** A time during which nothing changes. */
export interface Shift extends Interval {
  /** Null: a gap, in which nobody is on call. */
  userId: number | null;
  /** Place of the rotation in the schedule, from 0; null for an override or a gap. */
  rotation: number | null;
  /** Id of the override; null for a rotation or a gap. */
  override: number | null;
}

type Duty = Omit<Shift, "from">;

const HOURS = { hour: 1, day: 24, week: 168 } as const;

/** Length of a turn in hours of the wall clock: a day of 23 or 25 hours counts as 24. */
function turnHours({ every, unit }: Rotation): number {
  return every * HOURS[unit];
}

/** When a turn begins. @param turn its number from 0, the first one */
function beginningOf(rotation: Rotation, timezone: string, turn: number): number {
  const first = Temporal.PlainDateTime.from(`${rotation.start}T${rotation.handover}`);
  const local = first.add({ hours: turn * turnHours(rotation) });
  return instantOf(local.toPlainDate(), local.toPlainTime().toString(), timezone);
}

/** The number of the turn that contains `at`, negative before the first one. */
function turnAt(rotation: Rotation, timezone: string, at: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(at * 1000)
    .toZonedDateTimeISO(timezone)
    .toPlainDateTime();
  const first = Temporal.PlainDateTime.from(`${rotation.start}T${rotation.handover}`);
  const hours = first.until(local, { largestUnit: "hour" }).total({ unit: "hour" });
  let turn = Math.floor(hours / turnHours(rotation));
  // In the hour that occurs twice the wall clock does not tell.
  while (beginningOf(rotation, timezone, turn) > at) turn--;
  while (beginningOf(rotation, timezone, turn + 1) <= at) turn++;
  return turn;
}

/** Who of a rotation is on duty, and until when this is certain. */
function dutyOf(rotation: Rotation, timezone: string, at: number): { userId: number | null; until: number } {
  const { users, hours } = rotation;
  const begins = beginningOf(rotation, timezone, 0);
  if (at < begins) return { userId: null, until: begins };
  const window = hours && dutyWindow(hours, timezone, at);
  if (window && window.from > at) return { userId: null, until: window.from };
  const end = window?.to ?? Infinity;
  if (users.length < 2) return { userId: users[0] ?? null, until: end };
  const turn = turnAt(rotation, timezone, at);
  const userId = users[turn % users.length] ?? null;
  return { userId, until: Math.min(end, beginningOf(rotation, timezone, turn + 1)) };
}

/** The duty hours that contain `at`, otherwise the next ones; their end is only known if they contain it. */
function dutyWindow({ days, from, to }: DutyHours, timezone: string, at: number): Interval {
  const recurrence: Recurrence = { days, from, timezone };
  const nights = to <= from ? 1 : 0;
  const endOf = (date: Temporal.PlainDate) => instantOf(date.add({ days: nights }), to, timezone);
  const next = () => ({ from: nextBeginning(recurrence, at) ?? Infinity, to: Infinity });
  return windowHolding(recurrence, at, 1, endOf) ?? next();
}

/** Who is on duty at a time, and until when this is certain; the next duty may be the same person's. */
function dutyAt({ timezone, rotations }: Schedule, overrides: readonly Override[], at: number): Duty {
  const changes = overrides.flatMap(({ from, to }) => [from, to]).filter((change) => change > at);
  let to = Math.min(Infinity, ...changes);
  const active = overrides.filter((one) => one.from <= at && at < one.to);
  if (active.length > 0) {
    const { id, userId } = active.reduce((last, one) => (one.id > last.id ? one : last));
    return { userId, rotation: null, override: id, to };
  }
  for (const [i, rotation] of rotations.entries()) {
    const { userId, until } = dutyOf(rotation, timezone, at);
    to = Math.min(to, until);
    if (userId !== null) return { userId, rotation: i, override: null, to };
  }
  return { userId: null, rotation: null, override: null, to };
}

/** The id of the user who is on call; null if nobody is. */
export function onCallAt(schedule: Schedule, overrides: readonly Override[], at: number): number | null {
  return dutyAt(schedule, overrides, at).userId;
}

/** The shifts of a span in their order, gaps included. They follow each other without a break. */
export function shiftsIn(
  schedule: Schedule,
  overrides: readonly Override[],
  { from, to }: Interval,
): Shift[] {
  const shifts: Shift[] = [];
  for (let at = from; at < to; ) {
    const duty = dutyAt(schedule, overrides, at);
    const end = Math.min(duty.to, to);
    const last = shifts.at(-1);
    const continues =
      last?.userId === duty.userId && last.rotation === duty.rotation && last.override === duty.override;
    if (continues) last.to = end;
    else shifts.push({ ...duty, from: at, to: end });
    at = end;
  }
  return shifts;
}

/** The times of a span in which nobody is on call. */
export function gapsIn(shifts: readonly Shift[]): Interval[] {
  return shifts.filter(({ userId }) => userId === null).map(({ from, to }) => ({ from, to }));
}

/**
 * Until when the person on call at `at` remains the same, or the gap lasts.
 * @param horizon seconds to look ahead
 * @returns null if nothing changes within the horizon
 */
export function unchangedUntil(
  schedule: Schedule,
  overrides: readonly Override[],
  at: number,
  horizon: number,
): number | null {
  const userId = onCallAt(schedule, overrides, at);
  for (let next = at; next < at + horizon; ) {
    const duty = dutyAt(schedule, overrides, next);
    if (duty.userId !== userId) return next;
    next = duty.to;
  }
  return null;
}
