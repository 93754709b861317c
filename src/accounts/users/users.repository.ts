import { and, asc, count, eq, ne, sql } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { users } from "../../platform/storage/schema.ts";

export type User = typeof users.$inferSelect;
export type Origin = User["origin"];
export type NewUser = typeof users.$inferInsert;
/** What is undefined is kept. */
export type UserChanges = { [K in keyof NewUser]?: NewUser[K] | undefined };

/** Whether a code is asked for after the password. One whose secret was lost with its key cannot be given any more. */
export function hasSecondFactor({
  totpEnabled,
  totpSecret,
}: Pick<User, "totpEnabled" | "totpSecret">): boolean {
  return totpEnabled && totpSecret !== "";
}

/** The users as lists show them. */
export function allUsers(db: Db) {
  const rows = db
    .select({
      uname: users.uname,
      fullname: users.fullname,
      image: users.image,
      title: users.title,
      email: users.email,
      mobile: users.mobile,
      imname: users.imname,
      imtype: users.imtype,
      origin: users.origin,
      // Without its secret, which may be lost with the key, it cannot be asked for.
      secondfactor: sql<boolean>`${users.totpEnabled} and ${users.totpSecret} <> ''`.mapWith(Boolean),
    })
    .from(users)
    .orderBy(asc(users.id))
    .all();
  return inNameOrder(rows, ({ uname }) => uname);
}

export function allRoles(db: Db) {
  const rows = db
    .select({ uname: users.uname, fullname: users.fullname, admin: users.admin })
    .from(users)
    .orderBy(asc(users.id))
    .all();
  return inNameOrder(rows, ({ uname }) => uname);
}

export function findUser(db: Db, uname: string): User | undefined {
  return db.select().from(users).where(eq(users.uname, uname)).get();
}

/** The user whom the OpenID provider knows by this subject. */
export function findUserOfSubject(db: Db, subject: string): User | undefined {
  return db.select().from(users).where(eq(users.subject, subject)).get();
}

/** Whether somebody has this name, or one that differs in case alone. */
export function isNameTaken(db: Db, uname: string): boolean {
  const taken = sql`lower(${users.uname}) = lower(${uname})`;
  return db.select({ id: users.id }).from(users).where(taken).limit(1).get() !== undefined;
}

export function countUsers(db: Db): number {
  return db.select({ n: count() }).from(users).get()?.n ?? 0;
}

/** Administrators with a password here: those who get in whatever becomes of an OpenID provider or a proxy. */
export function countLocalAdmins(db: Db): number {
  const locals = and(eq(users.admin, true), eq(users.origin, "local"), ne(users.passwordMd5, ""));
  return db.select({ n: count() }).from(users).where(locals).get()?.n ?? 0;
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
