import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
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
import { OnCall } from "./on-call.service.ts";
import { gapsIn, type Shift, shiftsIn } from "./rotation.ts";

const SECONDS_PER_DAY = 86_400;
/** Longest span of a calendar, and how far ahead `now` looks, seconds. */
export const MAX_SPAN = 31 * SECONDS_PER_DAY;

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
    ...{ id, name, timezone, ...current },
    until: next?.from ?? null,
    ...{ nextuname, nextfullname },
    gap: gap ?? null,
  };
}

/** Who is on call now and in a span. */
export function onCallQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const onCall = new OnCall(db, settings, clock);
  return {
    scheduleList: () => onCall.list(),
    schedule: (id: number) => onCall.get(id),

    onCallNow: () => {
      const now = clock.now();
      const [schedules, people] = [allSchedules(db), peopleById(db)];
      const overrides = Map.groupBy(overridesAfter(db, now), ({ scheduleId }) => scheduleId);
      // A day more, so that most gaps end within.
      const span = { from: now, to: now + MAX_SPAN + SECONDS_PER_DAY };
      const records = schedules.map((one) =>
        nowOf(one, shiftsIn(one, overrides.get(one.id) ?? [], span), people, now),
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
