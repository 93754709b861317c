import { existingUser } from "../../accounts/users/users.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareError, declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { rulesNaming } from "../rules/rules.repository.ts";
import {
  allSchedules,
  countSchedules,
  deleteOverride,
  deleteOverridesBefore,
  deleteSchedule,
  findOverride,
  findSchedule,
  findScheduleByName,
  insertOverride,
  insertSchedule,
  overridesAfter,
  type Person,
  peopleById,
  type StoredOverride,
  type StoredSchedule,
  updateSchedule,
} from "./on-call.repository.ts";
import type { OverrideCreation, ScheduleCreation, ScheduleReply, ScheduleUpdate } from "./on-call.schemas.ts";
import { rotationsIn, withIds, withNames } from "./rotations-argument.ts";

export const scheduleExists = declareTaken("oncall.exists", "schedule");

export const scheduleUsed = declareError(
  409,
  "oncall.used",
  "Rules name the schedule",
  (name: string, rules: readonly string[]) => `"${name}" is used by the rules ${rules.join(", ")}`,
);

export const MAX_SCHEDULES = 100;
/** Most overrides of a schedule that have not ended. */
export const MAX_OVERRIDES = 200;
const SECONDS_PER_DAY = 86_400;
const LONGEST_OVERRIDE = 366 * SECONDS_PER_DAY;
/** Seconds for which overrides are kept after their end: a calendar of the past shows them. */
const KEPT = 92 * SECONDS_PER_DAY;

function replyOf(
  { id, name, timezone, rotations }: StoredSchedule,
  overrides: readonly StoredOverride[],
  people: ReadonlyMap<number, Person>,
): ScheduleReply {
  return {
    ...{ id, name, timezone },
    rotations: withNames(rotations, people),
    overrides: overrides.map(({ id, userId, from, to, createdBy: createdby }) => {
      const { uname = "", fullname = "" } = people.get(userId) ?? {};
      return { id, uname, fullname, from, to, createdby };
    }),
  };
}

/** Schedules of people on call. Administrators change them, every user reads them. */
export class OnCall {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {}

  /** Every schedule, by name. */
  list() {
    const overrides = Map.groupBy(overridesAfter(this.db, this.clock.now()), (one) => one.scheduleId);
    const people = peopleById(this.db);
    const records = allSchedules(this.db).map((one) => replyOf(one, overrides.get(one.id) ?? [], people));
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 */
  get(id: number): ScheduleReply {
    const schedule = this.#find(id);
    return replyOf(schedule, overridesAfter(this.db, this.clock.now(), id), peopleById(this.db));
  }

  /** @returns the id @throws ApiError 400, 409 if the name is taken */
  create({ name, timezone = this.settings.get("timezone"), rotations }: ScheduleCreation): number {
    const { db } = this;
    const named = rotationsIn(rotations);
    return transaction(db, () => {
      this.#refuseTaken(name);
      if (countSchedules(db) >= MAX_SCHEDULES)
        throw errors.badRequest(`There are at most ${MAX_SCHEDULES} schedules; delete one first`);
      const schedule = { name, timezone, rotations: withIds(named, peopleById(db).values()) };
      return insertSchedule(db, schedule, this.clock.now());
    });
  }

  /** Changes the given properties. @throws ApiError 400, 404, 409 if the name is taken */
  update({ id, name, timezone, rotations }: ScheduleUpdate): void {
    const { db } = this;
    const named = rotations === undefined ? undefined : rotationsIn(rotations);
    transaction(db, () => {
      const before = this.#find(id);
      if (name !== undefined && name !== before.name) this.#refuseTaken(name);
      updateSchedule(db, id, {
        name: name ?? before.name,
        timezone: timezone ?? before.timezone,
        rotations: named ? withIds(named, peopleById(db).values()) : before.rotations,
      });
    });
  }

  /** Deletes a schedule with its overrides. @throws ApiError 404, 409 if rules name it */
  delete(id: number): void {
    transaction(this.db, () => {
      const { name } = this.#find(id);
      const rules = rulesNaming(this.db, { scheduleId: id }).map((rule) => `"${rule}"`);
      if (rules.length > 0) throw scheduleUsed(name, rules);
      deleteSchedule(this.db, id);
    });
  }

  /**
   * Puts a user on call for a time, in place of the rotations and of earlier overrides.
   * @param createdBy login name of the user who does so
   * @returns the id @throws ApiError 400, 404
   */
  createOverride({ scheduleid, uname, from, to }: OverrideCreation, createdBy: string): number {
    const { db } = this;
    const now = this.clock.now();
    if (from >= to) throw errors.badArgument("from", "before to");
    if (to <= now) throw errors.badArgument("to", "in the future");
    if (to - from > LONGEST_OVERRIDE) throw errors.badArgument("to", "at most 366 days after from");
    return transaction(db, () => {
      this.#find(scheduleid);
      const { id: userId } = existingUser(db, uname);
      deleteOverridesBefore(db, scheduleid, now - KEPT);
      if (overridesAfter(db, now, scheduleid).length >= MAX_OVERRIDES)
        throw errors.badRequest(`A schedule has at most ${MAX_OVERRIDES} overrides; delete one first`);
      return insertOverride(db, { scheduleId: scheduleid, userId, from, to, createdBy });
    });
  }

  /** @throws ApiError 404 */
  deleteOverride(id: number): void {
    transaction(this.db, () => {
      found(findOverride(this.db, id), "override", id);
      deleteOverride(this.db, id);
    });
  }

  /** What the audit log says of a schedule. @throws ApiError 404 */
  auditState(id: number): Record<string, unknown> {
    const { name, timezone, rotations } = this.get(id);
    return { name, timezone, rotations };
  }

  /** What the audit log says of an override; nothing if there is none. */
  auditOverride(id: number): Record<string, string | number> {
    const override = findOverride(this.db, id);
    if (!override) return {};
    const { scheduleId, userId, from, to } = override;
    const uname = peopleById(this.db).get(userId)?.uname ?? "";
    return { schedule: this.#find(scheduleId).name, uname, from, to };
  }

  #refuseTaken(name: string): void {
    if (findScheduleByName(this.db, name)) throw scheduleExists(name);
  }

  #find(id: number): StoredSchedule {
    return found(findSchedule(this.db, id), "schedule", id);
  }
}
