/** Who is on call when. Pure functions; times are unix seconds. */
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { DAY } from "../../platform/clock.ts";
import { dayOf, secondsOfDay, wallTime, weekdayOf, Zone } from "./zone.ts";

/** Hours of the week in which a rotation is on duty: like quiet hours, in the time zone of the schedule. */
interface DutyHours {
  /** Weekdays on which they begin: 0 Sunday to 6 Saturday. */
  days: number[];
  /** HH:MM. */
  from: string;
  /** HH:MM; if it is not after `from`, it is on the next day. */
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
export interface OnCallSchedule {
  /** IANA name. */
  timezone: string;
  rotations: Rotation[];
}

/** A person on call instead of the rotations. Of several overrides, the newest counts. */
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

/** Seconds of the wall clock: a day of 23 or 25 hours counts as 24. */
const UNITS = { hour: 3600, day: DAY, week: 7 * DAY } as const;
/**
 * How many dates before a time duty hours that contain it can begin: they last at most a day, and one more when
 * clocks change.
 */
const DAYS_BACK = 2;
/** Each weekday recurs within this many dates. */
const DAYS_AHEAD = 8;

/** Who is on duty, of a rotation or of the overrides, and until when that does not change. */
interface Certain {
  until: number;
  userId: number | null;
  override: number | null;
}

/** The duty hours of a rotation. */
class Hours {
  readonly #from: number;
  /** After the midnight of the beginning. */
  readonly #to: number;

  readonly #days: ReadonlySet<number>;

  constructor(
    { days, from, to }: DutyHours,
    private readonly zone: Zone,
  ) {
    this.#days = new Set(days);
    this.#from = secondsOfDay(from);
    this.#to = secondsOfDay(to) + (to <= from ? DAY : 0);
  }

  /**
   * The duty hours that contain `at`; otherwise the next ones, whose end is not computed. Overlapping hours count as
   * one.
   */
  around(at: number): Interval {
    const today = dayOf(this.zone.wallAt(at));
    const holding = { from: Infinity, to: -Infinity };
    for (let day = today - DAYS_BACK; day <= today; day++) {
      const from = this.#beginning(day);
      if (from === null || at < from) continue;
      const to = this.zone.instantOf(day * DAY + this.#to);
      if (to <= at) continue;
      holding.from = Math.min(from, holding.from);
      holding.to = Math.max(to, holding.to);
    }
    if (holding.from <= at) return holding;
    for (let day = today; day <= today + DAYS_AHEAD; day++) {
      const from = this.#beginning(day);
      if (from !== null && from > at) return { from, to: Infinity };
    }
    return { from: Infinity, to: Infinity };
  }

  #beginning(day: number): number | null {
    return this.#days.has(weekdayOf(day)) ? this.zone.instantOf(day * DAY + this.#from) : null;
  }
}

/** A rotation with the values that are computed once. */
class Turns {
  readonly #hours: Hours | null;
  readonly #length: number;
  /** When the first turn begins, by the wall clock and in unix seconds. */
  readonly #first: number;
  readonly #begins: number;

  constructor(
    private readonly rotation: Rotation,
    private readonly zone: Zone,
  ) {
    const { hours, unit, every, start, handover } = rotation;
    this.#hours = hours && new Hours(hours, zone);
    this.#length = every * UNITS[unit];
    this.#first = wallTime(start, handover);
    this.#begins = zone.instantOf(this.#first);
  }

  at(at: number): Omit<Certain, "override"> {
    if (at < this.#begins) return { userId: null, until: this.#begins };
    const window = this.#hours?.around(at);
    if (window && window.from > at) return { userId: null, until: window.from };
    const end = window?.to ?? Infinity;
    const { users } = this.rotation;
    if (users.length < 2) return { userId: users[0] ?? null, until: end };
    let turn = Math.floor((this.zone.wallAt(at) - this.#first) / this.#length);
    // In the hour that occurs twice, the wall clock is ambiguous.
    while (this.#beginning(turn) > at) turn--;
    while (this.#beginning(turn + 1) <= at) turn++;
    return { userId: users[turn % users.length] ?? null, until: Math.min(end, this.#beginning(turn + 1)) };
  }

  #beginning(turn: number): number {
    return this.zone.instantOf(this.#first + turn * this.#length);
  }
}

/** Who overrides the rotations at a time, and when the overrides next change. */
function overrideAt(overrides: readonly Override[], at: number): Certain {
  let until = Infinity;
  let last: Override | null = null;
  for (const override of overrides) {
    const { from, to, id } = override;
    if (from > at) until = Math.min(until, from);
    else if (to > at) {
      until = Math.min(until, to);
      if (!last || id > last.id) last = override;
    }
  }
  return { userId: last?.userId ?? null, override: last?.id ?? null, until };
}

/** Caches a value while it is valid. If times are requested in order, it is computed once per change. */
function remembered<T extends { until: number }>(compute: (at: number) => T): (at: number) => T {
  let value: T | null = null;
  let from = 0;
  return (at) => {
    if (value && from <= at && at < value.until) return value;
    value = compute(at);
    from = at;
    return value;
  };
}

/** A schedule with its overrides, to ask who is on duty. */
class Roster {
  readonly #overrideAt: (at: number) => Certain;
  readonly #rotations: ((at: number) => Omit<Certain, "override">)[];

  constructor({ timezone, rotations }: OnCallSchedule, overrides: readonly Override[]) {
    const zone = new Zone(timezone);
    this.#overrideAt = remembered((at) => overrideAt(overrides, at));
    this.#rotations = rotations.map((rotation) => {
      const turns = new Turns(rotation, zone);
      return remembered((at) => turns.at(at));
    });
  }

  /** Who is on duty at a time, and until when that does not change. The same person may be next. */
  at(at: number): Duty {
    const overridden = this.#overrideAt(at);
    let to = overridden.until;
    if (overridden.override !== null)
      return { userId: overridden.userId, rotation: null, override: overridden.override, to };
    for (const [i, dutyAt] of this.#rotations.entries()) {
      const { userId, until } = dutyAt(at);
      to = Math.min(to, until);
      if (userId !== null) return { userId, rotation: i, override: null, to };
    }
    return { userId: null, rotation: null, override: null, to };
  }
}

/** The id of the user who is on call; null if nobody is. */
export function onCallAt(
  schedule: OnCallSchedule,
  overrides: readonly Override[],
  at: number,
): number | null {
  return new Roster(schedule, overrides).at(at).userId;
}

/** The shifts of a span in order, gaps included, without a break. */
export function shiftsIn(
  schedule: OnCallSchedule,
  overrides: readonly Override[],
  { from, to }: Interval,
): Shift[] {
  const roster = new Roster(schedule, overrides);
  const shifts: Shift[] = [];
  for (let at = from; at < to; ) {
    const duty = roster.at(at);
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
