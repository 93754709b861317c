import { asc, count, eq } from "drizzle-orm";
import type { Db } from "../database/open.ts";
import { users } from "../database/schema.ts";

export type User = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;
/** What is undefined is kept. */
export type UserChanges = { [K in keyof NewUser]?: NewUser[K] | undefined };

/** The users as lists show them. */
export function allUsers(db: Db) {
  return db
    .select({
      uname: users.uname,
      fullname: users.fullname,
      image: users.image,
      title: users.title,
      email: users.email,
      mobile: users.mobile,
      imname: users.imname,
      imtype: users.imtype,
    })
    .from(users)
    .orderBy(asc(users.uname))
    .all();
}

export function allRoles(db: Db) {
  return db
    .select({ uname: users.uname, fullname: users.fullname, admin: users.admin })
    .from(users)
    .orderBy(asc(users.uname))
    .all();
}

export function findUser(db: Db, uname: string): User | undefined {
  return db.select().from(users).where(eq(users.uname, uname)).get();
}

export function countUsers(db: Db): number {
  return db.select({ n: count() }).from(users).get()?.n ?? 0;
}

export function countAdmins(db: Db): number {
  return db.select({ n: count() }).from(users).where(eq(users.admin, true)).get()?.n ?? 0;
}

export function insertUser(db: Db, row: NewUser): number {
  return db.insert(users).values(row).returning({ id: users.id }).get().id;
}

export function updateUser(db: Db, id: number, changes: UserChanges): void {
  db.update(users).set(changes).where(eq(users.id, id)).run();
}

/** Deletes a user with his sessions and API tokens. */
export function deleteUser(db: Db, id: number): void {
  db.delete(users).where(eq(users.id, id)).run();
}
