import { type Clock, DAY } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  allSchedules,
  findSchedule,
  type NamedSchedule,
  overridesAfter,
  type Person,
  peopleById,
  type StoredSchedule,
  scheduleRows,
} from "./on-call.repository.ts";
import { type CalendarArguments, schedule } from "./on-call.schemas.ts";
import { gapsIn, type Shift, shiftsIn } from "./rotation.ts";

/** Longest span of a calendar, and how far ahead `now` looks, seconds. */
export const MAX_SPAN = 31 * DAY;

type Names = Pick<Person, "uname" | "fullname">;

function namesOf(people: ReadonlyMap<number, Person>, userId: number | null | undefined): Names {
  const { uname = "", fullname = "" } = people.get(userId ?? 0) ?? {};
  return { uname, fullname };
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
    id,
    name,
    timezone,
    ...current,
    until: next?.from ?? null,
    nextuname,
    nextfullname,
    gap: gap ?? null,
  };
}

/** Schedules, which every user can read. */
export class ScheduleReads extends CollectionReads<typeof schedule, NamedSchedule> {
  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    super(db, schedule, scheduleRows, "name");
  }

  protected derived(_reach: Reach, rows: readonly NamedSchedule[]) {
    const ids = rows.map(({ id }) => id);
    const overrides = overridesAfter(this.db, this.clock.now(), ids);
    const people = peopleById(
      this.db,
      overrides.map(({ userId }) => userId),
    );
    const bySchedule = Map.groupBy(overrides, ({ scheduleId }) => scheduleId);
    return ({ id }: NamedSchedule) => ({
      overrides: (bySchedule.get(id) ?? []).map(({ id, userId, from, to, createdBy: createdby }) => {
        const { uname: user, fullname } = namesOf(people, userId);
        return { id, user, from, to, createdby, fullname };
      }),
    });
  }
}

/** Schedules, with the person on call now and within a span. */
export function onCallQueries(db: Db, clock: Clock) {
  const reads = new ScheduleReads(db, clock);
  return {
    scheduleList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    schedule: (id: number, reach: Reach) => reads.get(id, reach),

    onCallNow: () => {
      const now = clock.now();
      const [schedules, people] = [allSchedules(db), peopleById(db)];
      const overrides = Map.groupBy(overridesAfter(db, now), ({ scheduleId }) => scheduleId);
      // One day more, so that most gaps end within the span.
      const span = { from: now, to: now + MAX_SPAN + DAY };
      const records = schedules.map((schedule) =>
        nowOf(schedule, shiftsIn(schedule, overrides.get(schedule.id) ?? [], span), people, now),
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
      const overrides = Map.groupBy(overridesAfter(db, from), (override) => override.scheduleId);
      const records = schedules.map((schedule) => {
        const shifts = shiftsIn(schedule, overrides.get(schedule.id) ?? [], { from, to });
        const { id, name, timezone } = schedule;
        return {
          id,
          name,
          timezone,
          shifts: shifts.map(({ userId, override: overrideid, ...same }) => ({
            from: same.from,
            to: same.to,
            ...namesOf(people, userId),
            rotation: same.rotation,
            overrideid,
          })),
          gaps: gapsIn(shifts),
        };
      });
      return { totalRecords: records.length, records };
    },
  };
}

export type OnCallQueries = AsyncQueries<ReturnType<typeof onCallQueries>>;
