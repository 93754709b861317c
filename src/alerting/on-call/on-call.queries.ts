import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  allSchedules,
  findSchedule,
  overridesAfter,
  type Person,
  peopleById,
  type StoredSchedule,
} from "./on-call.repository.ts";
import type { CalendarArguments } from "./on-call.schemas.ts";
import { gapsIn, type Override, type Shift, shiftsIn } from "./rotation.ts";

const SECONDS_PER_DAY = 86_400;
/** Longest span of a calendar, and how far ahead `now` looks, seconds. */
export const MAX_SPAN = 31 * SECONDS_PER_DAY;

type Names = Pick<Person, "uname" | "fullname">;

function namesOf(people: ReadonlyMap<number, Person>, userId: number | null | undefined): Names {
  const { uname = "", fullname = "" } = people.get(userId ?? 0) ?? {};
  return { uname, fullname };
}

/** The shifts of the days ahead of each schedule. They are computed once a day, or when a schedule changes. */
class ShiftsAhead {
  readonly #known = new Map<number, { of: string; from: number; shifts: Shift[] }>();

  /** From `now` on, for at least MAX_SPAN; the last one may be cut off. */
  of(schedule: StoredSchedule, overrides: readonly Override[], now: number): Shift[] {
    const text = JSON.stringify([schedule, overrides]);
    let known = this.#known.get(schedule.id);
    if (known?.of !== text || now < known.from || known.from + SECONDS_PER_DAY <= now) {
      const to = now + MAX_SPAN + SECONDS_PER_DAY;
      known = { of: text, from: now, shifts: shiftsIn(schedule, overrides, { from: now, to }) };
      this.#known.set(schedule.id, known);
    }
    return known.shifts.filter(({ to }) => to > now);
  }

  /** Forgets schedules that were deleted. */
  keep(ids: ReadonlySet<number>): void {
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }
}

function nowOf(
  { id, name, timezone }: StoredSchedule,
  shifts: readonly Shift[],
  people: ReadonlyMap<number, Person>,
  now: number,
) {
  const current = namesOf(people, shifts[0]?.userId);
  const isAhead = ({ from }: Shift) => from < now + MAX_SPAN;
  const next = shifts.filter(isAhead).find(({ userId }) => userId !== shifts[0]?.userId);
  const { uname: nextuname, fullname: nextfullname } = namesOf(people, next?.userId);
  const [gap] = gapsIn(shifts.filter(isAhead));
  return {
    ...{ id, name, timezone, ...current },
    until: next?.from ?? null,
    ...{ nextuname, nextfullname },
    gap: gap ? { from: Math.max(gap.from, now), to: gap.to } : null,
  };
}

/** Who is on call now and in a span. Many short turns take time, hence a query worker. */
export function onCallQueries(db: Db, clock: Clock) {
  const ahead = new ShiftsAhead();
  return {
    onCallNow: () => {
      const now = clock.now();
      const [schedules, people] = [allSchedules(db), peopleById(db)];
      const overrides = Map.groupBy(overridesAfter(db, now), ({ scheduleId }) => scheduleId);
      ahead.keep(new Set(schedules.map(({ id }) => id)));
      const records = schedules.map((one) =>
        nowOf(one, ahead.of(one, overrides.get(one.id) ?? [], now), people, now),
      );
      return { totalRecords: records.length, records };
    },

    /** @throws ApiError 400, 404 */
    onCallCalendar: ({ scheduleid, from, to }: CalendarArguments) => {
      if (from >= to) throw errors.badArgument("from", "before to");
      if (to - from > MAX_SPAN) throw errors.badArgument("to", "at most 31 days after from");
      const people = peopleById(db);
      const schedules =
        scheduleid === undefined
          ? allSchedules(db)
          : [found(findSchedule(db, scheduleid), "schedule", scheduleid)];
      const overrides = Map.groupBy(overridesAfter(db, from), (one) => one.scheduleId);
      const records = schedules.map((schedule) => {
        const shifts = shiftsIn(schedule, overrides.get(schedule.id) ?? [], { from, to });
        const { id, name, timezone } = schedule;
        return {
          ...{ id, name, timezone },
          shifts: shifts.map(({ userId, override: overrideid, ...same }) => ({
            ...{ from: same.from, to: same.to },
            ...namesOf(people, userId),
            ...{ rotation: same.rotation, overrideid },
          })),
          gaps: gapsIn(shifts),
        };
      });
      return { totalRecords: records.length, records };
    },
  };
}

export type OnCallQueries = AsyncQueries<ReturnType<typeof onCallQueries>>;
