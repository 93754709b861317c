import { and, asc, eq, gt, inArray, lt, type SQL } from "drizzle-orm";
import { userIdsOf } from "../../accounts/users/users.repository.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { inNameOrder } from "../../platform/sort-key.ts";
import { existingIds } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { recordRevision } from "../../platform/storage/revisions.repository.ts";
import { onCallOverrides, onCallSchedules, users } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";
import type { OnCallSchedule, Override, Rotation } from "./rotation.ts";

type ScheduleRow = typeof onCallSchedules.$inferSelect;

/** Rotations name users by their ids. */
export interface StoredSchedule extends Omit<ScheduleRow, "rotations">, OnCallSchedule {}

/** A rotation with login names in place of ids. */
type NamedRotation = Omit<Rotation, "users"> & { users: string[] };
/** A schedule whose rotations name users by login. */
export interface NamedSchedule extends Omit<ScheduleRow, "rotations"> {
  rotations: NamedRotation[];
}

export interface StoredOverride extends Override {
  scheduleId: number;
  /** Login name of the user who created it. */
  createdBy: string;
}

/** A user, as schedules and calendars show them. */
export interface Person {
  id: number;
  uname: string;
  fullname: string;
}

const storedRows = new NamedRows<StoredSchedule>(onCallSchedules);

/** Every schedule, by name. */
export function allSchedules(db: Db): StoredSchedule[] {
  return inNameOrder(storedRows.all(db), ({ name }) => name);
}

/** The ids among these of schedules. */
export function existingSchedules(db: Db, ids: readonly number[]): Set<number> {
  return existingIds(db, onCallSchedules, ids);
}

/** The schedule of this id, with ids of users, or undefined. */
export function findSchedule(db: Db, id: number): StoredSchedule | undefined {
  return storedRows.find(db, id);
}

/** The schedule of this name, compared with case, with ids of users; undefined if there is none. */
export function findScheduleByName(db: Db, name: string): StoredSchedule | undefined {
  return storedRows.findByKey(db, name);
}

/** Schedules with login names. Users who do not exist are left out. */
function withNames(db: Db, rows: readonly StoredSchedule[]): NamedSchedule[] {
  if (rows.length === 0) return [];
  const ids = rows.flatMap(({ rotations }) => rotations.flatMap(({ users }) => users));
  const people = peopleById(db, ids);
  const namesOf = (ids: readonly number[]) => ids.flatMap((id) => people.get(id)?.uname ?? []);
  return rows.map((row) => ({
    ...row,
    rotations: row.rotations.map((rotation) => ({ ...rotation, users: namesOf(rotation.users) })),
  }));
}

function withIds(db: Db, rotations: readonly NamedRotation[]): Rotation[] {
  const unames = rotations.flatMap(({ users }) => users);
  const ids = userIdsOf(db, unames);
  return rotations.map((rotation) => ({
    ...rotation,
    users: rotation.users.flatMap((uname) => ids.get(uname) ?? []),
  }));
}

/** Schedules with the login names of users. Deleting one also deletes its overrides. */
class ScheduleRows extends NamedRows<NamedSchedule, StoredSchedule> {
  protected override complete = withNames;

  protected override columnsOf(db: Db, { rotations, ...columns }: Partial<NamedSchedule>): object {
    return { ...columns, ...(rotations && { rotations: withIds(db, rotations) }) };
  }
}

export const scheduleRows = new ScheduleRows(onCallSchedules);

/** Overrides that end after a time, in order of their beginning. @param scheduleIds undefined: of all schedules */
export function overridesAfter(db: Db, after: number, scheduleIds?: readonly number[]): StoredOverride[] {
  const ofSchedule = scheduleIds && inArray(onCallOverrides.scheduleId, listOf(scheduleIds));
  return db
    .select()
    .from(onCallOverrides)
    .where(and(ofSchedule, gt(onCallOverrides.to, after)))
    .orderBy(asc(onCallOverrides.from), asc(onCallOverrides.id))
    .all();
}

/** The override of this id, past or not, or undefined. */
export function findOverride(db: Db, id: number): StoredOverride | undefined {
  return db.select().from(onCallOverrides).where(eq(onCallOverrides.id, id)).get();
}

/** The revision of an override. @param until unix seconds */
function ofOverride(id: number, until: number) {
  return { kind: "on_call_overrides", hostId: null, objectId: id, until } as const;
}

/** Stores an override, and records that it is new. @param at unix seconds @returns the id */
export function insertOverride(db: Db, row: Omit<StoredOverride, "id">, at: number): number {
  const { id } = db.insert(onCallOverrides).values(row).returning({ id: onCallOverrides.id }).get();
  recordRevision(db, { ...ofOverride(id, at), content: null });
  return id;
}

/** Deletes overrides, and records them. @param at unix seconds */
function deleteOverrides(db: Db, where: SQL | undefined, at: number): void {
  for (const override of db.delete(onCallOverrides).where(where).returning().all())
    recordRevision(db, { ...ofOverride(override.id, at), content: override });
}

/** Deletes an override, and records it. @param at unix seconds */
export function deleteOverride(db: Db, id: number, at: number): void {
  deleteOverrides(db, eq(onCallOverrides.id, id), at);
}

/** Deletes the overrides of a schedule that ended before a time, unix seconds. @param at unix seconds */
export function deleteOverridesBefore(db: Db, scheduleId: number, before: number, at: number): void {
  const { scheduleId: schedule, to } = onCallOverrides;
  deleteOverrides(db, and(eq(schedule, scheduleId), lt(to, before)), at);
}

/** Deletes all overrides of a schedule. @param at unix seconds */
export function deleteOverridesOf(db: Db, scheduleId: number, at: number): void {
  deleteOverrides(db, eq(onCallOverrides.scheduleId, scheduleId), at);
}

/** Users by id. @param ids undefined: every user */
export function peopleById(db: Db, ids?: readonly number[]): Map<number, Person> {
  const { id, uname, fullname } = users;
  const people = db
    .select({ id, uname, fullname })
    .from(users)
    .where(ids && inArray(id, listOf(ids)))
    .all();
  return new Map(people.map((person) => [person.id, person]));
}

/** The schedules that a user takes part in, by a rotation or by an override that has not ended. */
export function schedulesOfUser(db: Db, userId: number, now: number): StoredSchedule[] {
  const { scheduleId, userId: user, to } = onCallOverrides;
  const overridden = db
    .select({ scheduleId })
    .from(onCallOverrides)
    .where(and(eq(user, userId), gt(to, now)))
    .all();
  const ids = new Set(overridden.map((override) => override.scheduleId));
  return allSchedules(db).filter(
    ({ id, rotations }) => ids.has(id) || rotations.some(({ users }) => users.includes(userId)),
  );
}
