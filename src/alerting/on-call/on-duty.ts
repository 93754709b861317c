import type { Db } from "../../platform/storage/open.ts";
import { allSchedules, overridesAfter } from "./on-call.repository.ts";
import { type OnCallSchedule, type Override, onCallAt } from "./rotation.ts";

/** Looks up who is on call. Schedules and overrides are read once, when they are first needed. */
export class OnDuty {
  #read: {
    schedules: Map<number, OnCallSchedule & { name: string }>;
    overrides: Map<number, Override[]>;
  } | null = null;

  /** @param since the earliest time that is asked about, unix seconds */
  constructor(
    private readonly db: Db,
    private readonly since: number,
  ) {}

  /** The id of the user who is on call at a time; null if nobody is, or if there is no such schedule. */
  at(scheduleId: number, at: number): number | null {
    const { schedules, overrides } = this.#all();
    const schedule = schedules.get(scheduleId);
    return schedule ? onCallAt(schedule, overrides.get(scheduleId) ?? [], at) : null;
  }

  /** The name of a schedule; "" if there is no such schedule. */
  nameOf(scheduleId: number): string {
    return this.#all().schedules.get(scheduleId)?.name ?? "";
  }

  #all() {
    this.#read ??= {
      schedules: new Map(allSchedules(this.db).map((schedule) => [schedule.id, schedule])),
      overrides: Map.groupBy(overridesAfter(this.db, this.since), ({ scheduleId }) => scheduleId),
    };
    return this.#read;
  }
}
