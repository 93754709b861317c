import { and, asc, count, eq, gt, lt } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { onCallOverrides, onCallSchedules, users } from "../../platform/storage/schema.ts";
import type { Override, Rotation, Schedule } from "./rotation.ts";

type ScheduleRow = typeof onCallSchedules.$inferSelect;

export interface StoredSchedule extends Schedule {
  id: number;
  name: string;
}

export interface StoredOverride extends Override {
  scheduleId: number;
  /** Login name of the user who made it. */
  createdBy: string;
}

export interface Person {
  id: number;
  uname: string;
  fullname: string;
}

function parsed({ id, name, timezone, rotations }: ScheduleRow): StoredSchedule {
  return { id, name, timezone, rotations: JSON.parse(rotations) as Rotation[] };
}

/** Every schedule, by name. */
export function allSchedules(db: Db): StoredSchedule[] {
  const rows = db.select().from(onCallSchedules).orderBy(asc(onCallSchedules.id)).all();
  return inNameOrder(rows, ({ name }) => name).map(parsed);
}

export function findSchedule(db: Db, id: number): StoredSchedule | undefined {
  const row = db.select().from(onCallSchedules).where(eq(onCallSchedules.id, id)).get();
  return row && parsed(row);
}

export function findScheduleByName(db: Db, name: string): StoredSchedule | undefined {
  const row = db.select().from(onCallSchedules).where(eq(onCallSchedules.name, name)).get();
  return row && parsed(row);
}

export function countSchedules(db: Db): number {
  return db.select({ n: count() }).from(onCallSchedules).get()?.n ?? 0;
}

type NewSchedule = Schedule & { name: string };

/** @param createdAt unix seconds @returns the id */
export function insertSchedule(db: Db, { rotations, ...same }: NewSchedule, createdAt: number): number {
  const row = { ...same, rotations: JSON.stringify(rotations), createdAt };
  return db.insert(onCallSchedules).values(row).returning({ id: onCallSchedules.id }).get().id;
}

export function updateSchedule(db: Db, id: number, { name, timezone, rotations }: NewSchedule): void {
  const row = { name, timezone, rotations: JSON.stringify(rotations) };
  db.update(onCallSchedules).set(row).where(eq(onCallSchedules.id, id)).run();
}

/** Deletes a schedule with its overrides. */
export function deleteSchedule(db: Db, id: number): void {
  db.delete(onCallSchedules).where(eq(onCallSchedules.id, id)).run();
}

/** Overrides that end after a time, by their beginning. @param scheduleId undefined: of all schedules */
export function overridesAfter(db: Db, after: number, scheduleId?: number): StoredOverride[] {
  const ofSchedule = scheduleId === undefined ? undefined : eq(onCallOverrides.scheduleId, scheduleId);
  return db
    .select()
    .from(onCallOverrides)
    .where(and(ofSchedule, gt(onCallOverrides.to, after)))
    .orderBy(asc(onCallOverrides.from), asc(onCallOverrides.id))
    .all();
}

export function findOverride(db: Db, id: number): StoredOverride | undefined {
  return db.select().from(onCallOverrides).where(eq(onCallOverrides.id, id)).get();
}

/** @returns the id */
export function insertOverride(db: Db, row: Omit<StoredOverride, "id">): number {
  return db.insert(onCallOverrides).values(row).returning({ id: onCallOverrides.id }).get().id;
}

export function deleteOverride(db: Db, id: number): void {
  db.delete(onCallOverrides).where(eq(onCallOverrides.id, id)).run();
}

/** Deletes the overrides of a schedule that ended before a time, unix seconds. */
export function deleteOverridesBefore(db: Db, scheduleId: number, before: number): void {
  const { scheduleId: schedule, to } = onCallOverrides;
  db.delete(onCallOverrides)
    .where(and(eq(schedule, scheduleId), lt(to, before)))
    .run();
}

/** Every user, by id. */
export function peopleById(db: Db): Map<number, Person> {
  const { id, uname, fullname } = users;
  const people = db.select({ id, uname, fullname }).from(users).all();
  return new Map(people.map((person) => [person.id, person]));
}

/** The schedules that a user takes part in, by a rotation or by an override that has not ended. */
export function schedulesOfUser(db: Db, userId: number, now: number): StoredSchedule[] {
  const overridden = overridesAfter(db, now).filter((one) => one.userId === userId);
  const ids = new Set(overridden.map(({ scheduleId }) => scheduleId));
  return allSchedules(db).filter(
    ({ id, rotations }) => ids.has(id) || rotations.some(({ users }) => users.includes(userId)),
  );
}
